import { describe, expect, test } from 'vitest'
import { ask, place, read } from '../kit/asks.ts'
import { storesInTurn } from '../kit/database.ts'
import { heard } from '../kit/records.ts'

const tell = (to: string, message: string) => ({ calls: [{ name: 'agent_send', input: { to, message } }] })
const TIMES = 20

describe.each(storesInTurn(import.meta.filename))('the wake budget on %s', (store) => {
  test('is not spent by questions: one agent asks another twenty times in a turn and is answered each time', async () => {
    const { world, ann, ben, plays } = await place(store)
    const questions = Array.from({ length: TIMES }, (_, at) => `Question ${at}?`)
    plays('ann', ...questions.map((text) => ask('ben', text)), { text: 'Enough.' })
    expect(await world.say(ann.id, 'Ask Ben all of it')).toMatchObject({ end: 'done', reply: 'Enough.' })
    const statuses = (await world.results(ann.id)) as { status: string }[]
    expect(statuses.map(({ status }) => status)).toEqual(Array(TIMES).fill('complete'))
    expect(await heard(world, ben)).toEqual(questions)
    expect((await world.look(ben.id)).autoWakeBudget).toBe(6)
    expect(await world.inbox()).toEqual([])
  })

  test('has its whole for messages while a question waits; a question that nobody waits for any more spends one', async () => {
    const { world, ann, ben, cyd, plays, pass } = await place(store, { settings: { loop: { autoWakeBudget: 2 } } })
    const gate = Promise.withResolvers<void>()
    plays('ben', { text: 'Busy.', delay: gate.promise })
    await world.send(ben.id, 'Work')
    await read(world, ben, 1)
    plays('ann', ask('ben', 'Is it so?', { timeout: 60 }), { text: 'Too slow.' })
    const asking = await world.send(ann.id, 'Ask Ben')
    await world.reaches(ann.id, 'waiting')
    plays('cyd', tell('ben', 'one'), tell('ben', 'two'), tell('ben', 'three'))
    await world.say(cyd.id, 'Tell Ben')
    const outcomes = ((await world.results(cyd.id)) as { outcome: string }[]).map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['queued', 'queued', 'suppressed'])
    pass(61)
    expect(await world.settled(asking.mailId)).toMatchObject({ reply: 'Too slow.' })
    gate.resolve()
    await world.eventually(async () => (await heard(world, ben)).length === 4)
    const { wakes_spent } = await world.server.core.store.read
      .selectFrom('sessions')
      .select('wakes_spent')
      .where('id', '=', ben.id)
      .executeTakeFirstOrThrow()
    expect(wakes_spent).toBe(3)
    // With nothing left of it, a question is put and answered all the same.
    await world.eventually(async () => (await heard(world, ann)).length === 2)
    for (const { id } of [ann, ben]) await world.reaches(id, 'idle')
    plays('ann', ask('ben', 'And now?'), { text: 'Thanks.' })
    expect(await world.say(ann.id, 'Ask again')).toMatchObject({ reply: 'Thanks.' })
    expect((await world.results(ann.id)).at(-1)).toMatchObject({ status: 'complete' })
  })
})
