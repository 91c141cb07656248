import { describe, expect, test } from 'vitest'
import type { CallState } from '../../src/contract/calls.ts'
import { refuseCycle } from '../../src/core/waits/index.ts'
import { findSession, updateSession } from '../../src/store/sessions.ts'
import { asked } from '../kit/asks.ts'
import { act } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, heard, mails, notices, taskOf, tasks } from '../kit/records.ts'
import { nap, parts, spawn, tasksIn, waitFor } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const free = { wait: false }
const given = (instruction: string) => ({ calls: [spawn('writer', instruction, free)] })
const gates = () => [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
const timers = (world: World) => world.server.core.store.read.selectFrom('timers').select(['id', 'kind']).execute()

describe.each(storesInTurn(import.meta.filename))('how a wait ends on %s', (store) => {
  test('one that a message ends leaves no timer, and what had ended by then comes as mail at once', async () => {
    const world = await createWorld({ store })
    const [dig, saw] = gates()
    parts(world, {
      Start: [given('Dig'), given('Saw'), (request) => ({ calls: [waitFor(tasksIn(request))] }), { text: 'Read.' }],
      Dig: [{ text: 'Dug.', delay: dig.promise }],
      Saw: [{ text: 'Sawn.', delay: saw.promise }],
    })
    const parent = await world.session()
    await world.send(parent.id, 'Start')
    await world.reaches(parent.id, 'waiting')
    dig.resolve()
    await taskOf(world, 'Dig', 'finished')
    // The wait has looked, and goes on.
    await world.eventually(async () => !(await timers(world)).some(({ kind }) => kind === 'task'))
    await world.say(parent.id, 'How is it going?')
    await world.eventually(async () => (await notices(world, parent.id)).length > 0)
    expect(await notices(world, parent.id)).toEqual([expect.stringContaining('Dug.')])
    expect((await timers(world)).filter(({ kind }) => kind === 'call')).toEqual([])
    saw.resolve()
    await atRest(world)
  })

  test('a message ends a wait behind which other calls stand, and those come next', async () => {
    const world = await createWorld({ store })
    world.vendor.reply(
      { calls: [nap, { name: 'write_file', input: { path: 'a.txt', content: 'x' } }] },
      { text: 'Awake.' },
    )
    const { id } = await world.session()
    await world.send(id, 'Rest, then write')
    await world.reaches(id, 'waiting')
    expect(await world.say(id, 'Up')).toMatchObject({ outcome: 'started', reply: 'Awake.' })
    expect(await world.results(id)).toEqual([expect.stringContaining('interrupted by a message'), expect.anything()])
  })

  test('who asked in vain may be asked by the other from then on', async () => {
    const { world, ann, ben, gate, pass, mail } = await asked(store, { timeout: 60 })
    const row = async ({ id }: { id: string }) => (await findSession(world.server.core.store.read, id))!
    const asks = async () => refuseCycle(world.server.core.store.read, await row(ben), [ann.id], 'question')
    await expect(asks()).rejects.toThrow('Nobody would ever answer')
    pass(61)
    await world.settled(mail.mailId)
    await asks()
    gate.resolve()
    await atRest(world)
  })

  test('an answer ends it and leaves no timer', async () => {
    const { world, gate, mail } = await asked(store)
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Thanks.' })
    expect(await timers(world)).toEqual([])
  })

  test('an answer that is known when the time is up is the result, also when the word of it was lost', async () => {
    const { world, ann, ben, gate, pass, mail } = await asked(store, { timeout: 60 })
    const { store: rows } = world.server.core
    const set = (state: CallState) =>
      rows.write((db) => db.updateTable('calls').set({ state }).where('session_id', '=', ann.id).execute())
    await set('started')
    gate.resolve()
    await world.reaches(ben.id, 'idle')
    await rows.write((db) => db.deleteFrom('timers').where('kind', '=', 'ask').execute())
    await set('parked')
    pass(61)
    await world.settled(mail.mailId)
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'It is.' }])
    expect(await heard(world, ann)).toEqual(['Ask Ben'])
  })

  test('a task waits for a child that a person paused as long as that takes', async () => {
    let now = Date.now()
    const settings = { limits: { maxWaitSeconds: 60 } }
    const world = await createWorld({ store, settings, clock: { now: () => now } })
    const [inner] = gates()
    parts(world, {
      Start: [given('Outer'), { text: 'Given.' }],
      Outer: [{ calls: [spawn('coder', 'Inner')] }, { text: 'So be it.' }],
      Inner: [{ calls: [{ name: 'sleep', input: { seconds: 30 } }] }, { text: 'Slept.', delay: inner.promise }],
    })
    await world.say((await world.session()).id, 'Start')
    const { session_id } = await taskOf(world, 'Inner', 'waiting')
    const outer = await taskOf(world, 'Outer', 'waiting')
    await act(world, session_id, 'pause')
    const due = async () =>
      (await world.server.core.store.read.selectFrom('timers').selectAll().where('ref', '=', outer.id).execute())[0]
        ?.due_at
    const before = await due()
    now += 61_000
    world.server.core.alarm(0)
    await world.eventually(async () => (await due()) !== before)
    expect(await due()).toBeGreaterThan(before!)
    await act(world, session_id, 'resume')
    inner.resolve()
    await taskOf(world, 'Outer', 'finished')
  })

  test('a wait for a task whose notice is not read yet takes the notice back, and the record says so', async () => {
    const world = await createWorld({ store })
    const [go] = gates()
    parts(world, {
      Start: [
        given('Dig'),
        (request) => ({ calls: [waitFor(tasksIn(request))], delay: go.promise }),
        { text: 'Read.' },
      ],
      Dig: [{ text: 'Dug.' }],
    })
    const parent = await world.session()
    const { mailId } = await world.send(parent.id, 'Start')
    const notice = await world.eventually(async () =>
      (await mails(world)).find(({ session_id, from_kind }) => session_id === parent.id && from_kind === 'system'),
    )
    go.resolve()
    expect(await world.settled(mailId)).toMatchObject({ reply: 'Read.' })
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([])
    const told = (await world.events(parent.id)).filter(({ data }) => data.mailId === notice.id)
    expect(told.map(({ type }) => type)).toEqual(['mail.accepted', 'mail.answered'])
  })

  test('the end of a task whose giver is gone goes to the person, and the giver is charged for it', async () => {
    const world = await createWorld({ store })
    const [dig] = gates()
    parts(world, { Start: [given('Dig'), { text: 'Given.' }], Dig: [{ text: 'Dug.', delay: dig.promise }] })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    await world.server.core.store.write((db) => updateSession(db, parent.id, { deleted_at: 1 }))
    dig.resolve()
    const { unpriced_tokens } = await taskOf(world, 'Dig', 'finished')
    await atRest(world)
    const giver = await findSession(world.server.core.store.read, parent.id)
    expect(giver?.unpriced_tokens).toBe(giver!.tokens_input + giver!.tokens_output + unpriced_tokens)
    expect(await world.inbox()).toMatchObject([
      { title: 'writer finished, and whoever gave it the task is gone', body: expect.stringContaining('Dug.') },
    ])
  })
})

test('each chain may make its own number of tasks', async () => {
  const world = await createWorld({ settings: { loop: { maxTasksPerChain: 1 } } })
  parts(world, { Start: [{ calls: [spawn('writer', 'Dig')] }, { text: 'Thanks.' }], Dig: [{ text: 'Dug.' }] })
  for (const times of [1, 2]) {
    await world.say((await world.session()).id, 'Start')
    expect(await tasks(world)).toHaveLength(times)
  }
  expect(await world.inbox()).toEqual([])
})
