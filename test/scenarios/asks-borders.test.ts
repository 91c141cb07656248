import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { ask, asked, place, read } from '../kit/asks.ts'
import { requestAs } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, heard } from '../kit/records.ts'
import * as script from '../kit/script.ts'
import type { World } from '../kit/world.ts'

const ROUNDS = 6

/** An answer of nobody. */
const nothing = {
  status: 'refused',
  agent: '',
  session: '',
  created: false,
  truncated: false,
  durationMs: 0,
  costUsd: 0,
  toolCalls: [],
}

describe.each(storesInTurn(import.meta.filename))('at the borders of asking, on %s', (store) => {
  test('two who ask each other: the second is refused in the same turn, and the circle is named', async () => {
    const { world, ann, ben, plays } = await place(store)
    plays('ann', ask('ben'), { text: 'Thanks.' })
    plays('ben', ask('ann', 'Is it, Ann?'), { text: 'Then I say yes.' })
    const reply = await world.say(ann.id, 'Ask Ben')
    expect(reply).toMatchObject({ reply: 'Thanks.' })
    const [refused] = (await world.results(ben.id)) as { response: string }[]
    expect(refused).toMatchObject({ status: 'refused' })
    expect(refused?.response).toContain(`ben ${ben.handle} → ann ${ann.handle} → ben ${ben.handle}`)
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'Then I say yes.' }])
    const turns = (await world.messages(ben.id)).map(({ turnId }) => turnId)
    expect([turns.length, new Set(turns).size]).toEqual([4, 1])
    expect(await heard(world, ann)).toEqual(['Ask Ben'])
  })

  test('a circle of three is refused where it would close', async () => {
    const { world, ann, ben, cyd, plays } = await place(store)
    plays('ann', ask('ben'), { text: 'Ann is done.' })
    plays('ben', ask('cyd'), { text: 'Ben is done.' })
    plays('cyd', ask('ann'), { text: 'Cyd is done.' })
    expect(await world.say(ann.id, 'Ask Ben')).toMatchObject({ reply: 'Ann is done.' })
    const names = [cyd, ann, ben, cyd].map(({ agent, handle }) => `${agent} ${handle}`).join(' → ')
    expect(await world.results(cyd.id)).toMatchObject([{ status: 'refused', response: expect.stringContaining(names) }])
    expect(await world.results(ben.id)).toMatchObject([{ status: 'complete', response: 'Cyd is done.' }])
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'Ben is done.' }])
  })

  test('of two who ask each other at the same moment one is refused and the other answered', async () => {
    const { world, ann, ben, plays } = await place(store, { settings: { loop: { autoWakeBudget: 100 } } })
    for (let round = 0; round < ROUNDS; round++) {
      plays('ann', ask('ben'), { text: 'Ann is done.' })
      plays('ben', ask('ann'), { text: 'Ben is done.' })
      const mails = await Promise.all([world.send(ann.id, 'Ask Ben'), world.send(ben.id, 'Ask Ann')])
      for (const { mailId } of mails) await world.settled(mailId)
      for (const { id } of [ann, ben]) await world.reaches(id, 'idle')
      const ends = await Promise.all(
        [ann, ben].map(async ({ id }) => ((await world.results(id)).at(-1) as { status: string }).status),
      )
      expect(ends.sort().join()).toMatch(/^complete,(complete|refused)$/)
    }
  })

  test('a circle through a helper is refused where it would close, and a helper may ask whoever waits for it', async () => {
    const { world, ann, plays } = await place(store)
    plays('ann', ask('ben'), { text: 'Good.' })
    plays('ben', { calls: [script.spawn('cyd', 'Find out')] }, { text: 'He asks who sent him.' }, { text: 'So be it.' })
    plays('cyd', ask('ann'), ask('parent'), { text: 'I know now.' })
    expect(await world.say(ann.id, 'Ask Ben')).toMatchObject({ end: 'done', reply: 'Good.' })
    // One answer of Ben's goes to both who asked him, and Ann may have hers before the helper has.
    await atRest(world)
    const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions?agent=cyd')
    const helper = items.find(({ parentSessionId }) => parentSessionId !== undefined)!
    const [circle, parent] = await world.results(helper.id)
    expect(circle).toMatchObject({
      status: 'refused',
      response: expect.stringMatching(/each waits for the next \(cyd \w+ → ann \w+ → ben \w+ → cyd \w+\)/),
    })
    expect(parent).toMatchObject({ status: 'complete', response: 'He asks who sent him.' })
  })

  test.each(['all', 'any'])(
    'a wait for %s of the tasks whose helpers wait for an answer behind the waiter is refused',
    async (until) => {
      const { world, ann, ben, plays } = await place(store)
      plays('ann', ask('ben'), { text: 'Good.' })
      world.vendor.script(
        async (request) => {
          const tasks = script.tasksIn(request)
          if (tasks.length === 0) return { calls: ['one', 'two'].map((what) => helper(what)) }
          if (JSON.stringify(request.messages).includes('each waits for')) return { text: 'So be it.' }
          await world.eventually(async () => (await mailOf(world, ann)).length === 2)
          return { calls: [script.waitFor(tasks, { until })] }
        },
        { model: 'ben' },
      )
      plays('cyd', ask('ann'), ask('ann'), { text: 'I know now.' }, { text: 'So do I.' })
      await world.say(ann.id, 'Ask Ben')
      expect(await world.results(ben.id)).toMatchObject([{}, {}, expect.stringContaining('each waits for the next')])
    },
  )

  test('a wait that any of several tasks can end is no circle while one of them leads elsewhere', async () => {
    const { world, ann, ben, plays } = await place(store)
    plays('ann', ask('ben'), { text: 'Good.' })
    world.vendor.script(
      async (request) => {
        const tasks = script.tasksIn(request)
        if (JSON.stringify(request.messages).includes('It is quiet.')) return { text: 'One of them is done.' }
        const calls =
          tasks.length === 0 ? [helper('a question'), helper('silence')] : [script.waitFor(tasks, { until: 'any' })]
        return { calls }
      },
      { model: 'ben' },
    )
    world.vendor.script(
      async ({ messages, lastUserText }) => {
        if (messages.some(({ results }) => results.length > 0)) return { text: 'I know now.' }
        await world.reaches(ben.id, 'waiting')
        if (lastUserText.includes('a question')) return ask('ann')
        // Only once the question has been accepted does the other helper end, and with it Ben's wait.
        await world.eventually(async () => (await mailOf(world, ann)).length === 1)
        return { text: 'It is quiet.' }
      },
      { model: 'cyd' },
    )
    expect(await world.say(ann.id, 'Ask Ben')).toMatchObject({ end: 'done', reply: 'Good.' })
    const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions?agent=cyd')
    const asker = items.find(({ title }) => title.includes('a question'))!
    await world.eventually(async () => (await world.results(asker.id)).length > 0)
    expect(await world.results(asker.id)).toMatchObject([{ status: 'complete', response: 'Good.' }])
  })

  test('a question that would wake nobody is refused at once: nothing is stored, the person is told once', async () => {
    const { world, ann, ben, cyd, plays } = await place(store, { settings: { loop: { maxHops: 1 } } })
    plays('ann', ask('ben'), { text: 'Enough.' })
    plays('ben', ask('cyd'), ask('cyd', 'Really?'), { text: 'Then I say yes.' })
    expect(await world.say(ann.id, 'Ask Ben')).toMatchObject({ reply: 'Enough.' })
    const refused = {
      ...nothing,
      agent: 'cyd',
      session: cyd.handle,
      response: expect.stringContaining('Do not ask again'),
    }
    expect(await world.results(ben.id)).toEqual([refused, refused])
    expect(await heard(world, cyd)).toEqual([])
    expect((await world.ok<{ items: unknown[] }>('GET', `/api/mail?session=${cyd.id}`)).items).toEqual([])
    expect(await world.inbox()).toMatchObject([{ kind: 'notice', title: expect.stringContaining('loop.maxHops') }])
  })

  test('who cannot be asked is a refused answer of the same shape: the person, oneself, nobody, a circle', async () => {
    const { world, ann, ben, plays } = await place(store)
    plays('ann', ask('human'), ask(ann.handle), ask('nobody'), ask('abcdef12'), { text: 'Well.' })
    expect(await world.say(ann.id, 'Ask around')).toMatchObject({ reply: 'Well.' })
    const [person, self, unknown, handle] = await world.results(ann.id)
    expect(person).toEqual({ ...nothing, response: expect.stringContaining('uses ask_human') })
    const me = { agent: 'ann', session: ann.handle }
    expect(self).toEqual({ ...nothing, ...me, response: expect.stringContaining('is yourself') })
    const known = 'Nobody here is called "nobody". You can reach: assistant, ben'
    expect(unknown).toEqual({ ...nothing, response: expect.stringContaining(known) })
    expect(handle).toEqual({ ...nothing, response: expect.stringContaining('You can reach: assistant, ben') })
    expect(await world.inbox()).toEqual([])

    plays('ann', ask('ben'))
    plays('ben', ask('ann'))
    await world.say(ann.id, 'Ask Ben')
    const circle = { ...nothing, ...me, response: expect.stringContaining('each waits for the next') }
    expect(await world.results(ben.id)).toEqual([circle])
    const log = await world.messages(ben.id)
    expect(log.flatMap(({ parts }) => parts.map((part) => part.type === 'tool-result' && part.error))).toContain(true)
  })

  test('when the asker is canceled or deleted, the answer reaches nobody', async () => {
    const { world, ann, ben, cyd, gate, plays, mail } = await asked(store)
    plays('cyd', ask('ben', 'And for me?'))
    await world.send(cyd.id, 'Ask Ben too')
    await world.reaches(cyd.id, 'waiting')
    await world.ok('POST', `/api/sessions/${ann.id}/cancel`)
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'canceled' })
    await world.ok('DELETE', `/api/sessions/${cyd.id}`)
    gate.resolve()
    await world.eventually(async () => (await heard(world, ben)).length === 2)
    await world.reaches(ben.id, 'idle')
    expect(await world.results(ann.id)).toEqual(['canceled'])
    const db = world.server.core.store.read
    expect(await db.selectFrom('timers').select('id').execute()).toEqual([])
    expect(await db.selectFrom('mail').select('content').where('from_session_id', '=', ben.id).execute()).toEqual([])
    expect((await world.look(ann.id)).status).toBe('idle')
  })

  test.each([false, true])(
    'when the person writes meanwhile the wait ends, and the answer comes as mail (interrupt: %s)',
    async (interrupt) => {
      const { world, ann, ben, gate } = await asked(store)
      const mine = await world.say(ann.id, 'Never mind', { interrupt })
      expect(mine).toMatchObject({ outcome: 'started', reply: 'Thanks.' })
      expect(await world.results(ann.id)).toEqual([expect.stringContaining('interrupted by a message')])
      gate.resolve()
      await world.eventually(async () => (await heard(world, ann)).length === 3)
      const log = await world.messages(ann.id)
      expect(await heard(world, ann)).toEqual(['Ask Ben', 'Never mind', 'It is.'])
      expect(log.findLast(({ role }) => role === 'user')?.from).toMatchObject({ kind: 'agent', sessionId: ben.id })
      await world.reaches(ann.id, 'idle')
    },
  )

  test('an answer before the time is up is the result, also when nobody has looked yet', async () => {
    const { world, ann, ben, gate, pass, mail } = await asked(store, { timeout: 60 })
    gate.resolve()
    await world.reaches(ben.id, 'idle')
    pass(120)
    await world.settled(mail.mailId)
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'It is.' }])
    expect(await heard(world, ann)).toEqual(['Ask Ben'])
  })

  test('of an answer and the end of its time, at the same moment, one is the result and nothing is lost or doubled', async () => {
    const { world, ann, ben, plays, pass } = await place(store, { settings: { loop: { autoWakeBudget: 100 } } })
    for (let round = 0; round < ROUNDS; round++) {
      const gate = Promise.withResolvers<void>()
      const [words, before] = [`Answer ${round}.`, (await heard(world, ann)).length]
      plays('ann', ask('ben', `Question ${round}?`, { timeout: 60 }))
      plays('ben', { text: words, delay: gate.promise })
      const mail = await world.send(ann.id, `Round ${round}`)
      await world.reaches(ann.id, 'waiting')
      await read(world, ben, round + 1)
      if (round % 2) gate.resolve()
      pass(61)
      gate.resolve()
      await world.settled(mail.mailId)
      await world.reaches(ben.id, 'idle')
      const { status, response } = (await world.results(ann.id)).at(-1) as { status: string; response: string }
      if (status === 'complete') expect(response).toBe(words)
      else {
        expect(status).toBe('timeout')
        await world.eventually(async () => (await heard(world, ann)).includes(words))
      }
      await world.reaches(ann.id, 'idle')
      const told = (await heard(world, ann)).slice(before)
      expect(told).toEqual([`Round ${round}`, ...(status === 'complete' ? [] : [words])])
    }
    expect(await world.results(ann.id)).toHaveLength(ROUNDS)
  })

  test('a question is answered once in the place of the one who was asked', async () => {
    const { world, ann, ben, gate, mail } = await asked(store)
    const { body } = await requestAs<{ items: { mailId: string }[] }>(world, ben, 'GET', '/api/mail?questions=true')
    const path = `/api/mail/${body.items[0]?.mailId}/answer`
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((content) => requestAs(world, ben, 'POST', path, { content })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const won = ['a', 'b', 'c'][answers.findIndex(({ status }) => status === 200)]
    await world.settled(mail.mailId)
    gate.resolve()
    await world.reaches(ben.id, 'idle')
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: won }])
    expect(await heard(world, ann)).toEqual(['Ask Ben'])
  })
})

test('one who asks over HTTP gets the answer there, or as mail when it has gone, and never both', async () => {
  const { world, ann, ben, plays } = await place('sqlite')
  const gate = Promise.withResolvers<void>()
  plays('ben', { text: 'At once.' }, { text: 'Later.', delay: gate.promise })
  const question = (wait: number) =>
    requestAs(world, ann, 'POST', '/api/mail', { to: 'ben', content: 'Is it so?', ask: true, wait })
  expect(await question(20)).toMatchObject({ status: 200, body: { status: 'complete', response: 'At once.' } })
  expect(await question(1)).toMatchObject({ status: 202, body: { status: 'timeout', agent: 'ben' } })
  gate.resolve()
  await world.eventually(async () => (await heard(world, ann)).length > 0)
  for (const { id } of [ann, ben]) await world.reaches(id, 'idle')
  expect(await heard(world, ann)).toEqual(['Later.'])
})

const helper = (what: string) => script.spawn('cyd', `Find ${what}`, { wait: false })

/** Mail of agents that its session has not read. */
const mailOf = async (world: World, { id }: Session) =>
  (await world.ok<{ items: unknown[] }>('GET', `/api/mail?session=${id}`)).items
