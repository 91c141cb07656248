import { describe, expect, test } from 'vitest'
import type { Cost } from '../../src/contract/cost.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { act, cast } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { atRest, mails, taskOf } from '../kit/records.ts'
import { ask, dollar, nap, parts, price, spawn, tasksIn, waitFor } from '../kit/script.ts'
import type { Reply } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const free = { wait: false }
const million = 1_000_000
const half = { text: 'Half a', cut: 0.6, ...dollar }
const said = { text: 'Well.', ...dollar }

const today = async (world: World) => {
  const { costTodayUsd, unpricedTokensToday } = await world.ok('GET', '/api/status')
  return { costUsd: costTodayUsd as number, unpricedTokens: unpricedTokensToday as number }
}
const costs = async (world: World, by: string) => (await world.ok<{ items: Cost[] }>('GET', `/api/cost?by=${by}`)).items
const settled = async (world: World, id: string) =>
  (await world.events(id)).filter(({ type }) => type === 'model.settled').map(({ data }) => data.outcome)
const spentBy = ({ costUsd, totalCostUsd, unpricedTokens }: Session) => ({ costUsd, totalCostUsd, unpricedTokens })

/** Resolves once a session has been told of a task, and has not read it. */
const noticeWaits = (world: World, session: string) =>
  world.eventually(async () =>
    (await mails(world)).some(
      ({ session_id, from_kind, state }) => session_id === session && from_kind === 'system' && state === 'queued',
    ),
  )

describe.each(stores)('what requests cost on %s', (store) => {
  /** A vendor that says what it read before it says a word. */
  const early = async (limits = {}) => {
    const world = await createWorld({ store, protocol: 'anthropic', settings: { limits } })
    price(world)
    return world
  }

  test('a request that was cut and made again is paid for twice, in the session, the turn and the day', async () => {
    const world = await early()
    world.vendor.reply(half, said)
    const session = await world.session()
    const reply = await world.say(session.id, 'Talk')
    expect(reply).toMatchObject({ end: 'done', reply: 'Well.', usage: { input: 2 * million } })
    expect(reply.costUsd).toBeCloseTo(2)
    expect((await world.look(session.id)).costUsd).toBeCloseTo(2)
    expect(await settled(world, session.id)).toEqual(['failed'])
    expect((await today(world)).costUsd).toBeCloseTo(2)
    const [model] = await costs(world, 'model')
    expect(model).toMatchObject({ key: 'lab/test-model', messages: 1, tokens: { input: 2 * million } })
  })

  test('a turn that ends in error is paid for, and what failed counts against the limit', async () => {
    const world = await early({ maxCostUsd: 2 })
    const refused: Reply = { text: 'Half a', ...dollar, error: { kind: 'policy', inStream: true } }
    world.vendor.reply(refused, half, { calls: [{ name: 'list_dir', input: { path: '.' } }], ...dollar })
    const session = await world.session()
    expect(await world.say(session.id, 'Talk')).toMatchObject({ end: 'error', usage: { input: million } })
    expect((await world.look(session.id)).costUsd).toBeCloseTo(1)
    const again = await world.say(session.id, 'Again')
    expect(again).toMatchObject({ ended: false, waits: [{ kind: 'budget' }] })
    await world.ok('POST', `/api/inbox/${again.waits?.[0]?.inboxId}/answer`, { answer: 'stop' })
    expect(await world.settled(again.mailId)).toMatchObject({
      end: 'limit',
      usage: { input: 2 * million },
      reason: expect.stringContaining('limits.maxCostUsd'),
    })
    expect((await world.look(session.id)).costUsd).toBeCloseTo(3)
    expect(await settled(world, session.id)).toEqual(['failed', 'failed'])
    expect(world.vendor.requests).toHaveLength(3)
  })

  test('a request that the vendor refused used nothing and is not written down', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ error: { kind: 'auth', message: 'Who are you?' } })
    const session = await world.session()
    expect(await world.say(session.id, 'Talk')).toMatchObject({ end: 'error' })
    expect(await settled(world, session.id)).toEqual([])
    expect(await costs(world, 'agent')).toEqual([])
  })

  test('a request that is canceled before a word is paid for', async () => {
    const world = await early()
    world.vendor.reply({ reasoning: 'Hm.', hang: true, ...dollar })
    const session = await world.session()
    const thinks = world.streams('Hm.')
    const mail = await world.send(session.id, 'Think')
    await thinks
    await act(world, session.id, 'cancel')
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'canceled', usage: { input: million } })
    expect((await world.look(session.id)).costUsd).toBeCloseTo(1)
    expect(await settled(world, session.id)).toEqual(['aborted'])
    expect((await world.messages(session.id)).map(({ role }) => role)).toEqual(['user'])
  })

  test('a request that a stop of the server cuts is paid for, and so is the one that is made again', async () => {
    const world = await early()
    world.vendor.reply({ text: 'Half a', hang: true, ...dollar }, said)
    const session = await world.session()
    const speaks = world.streams('Half')
    const mail = await world.send(session.id, 'Talk')
    await speaks
    await world.restart()
    const reply = await world.settled(mail.mailId)
    expect(reply).toMatchObject({ end: 'done', reply: 'Well.', usage: { input: 2 * million } })
    expect(await settled(world, session.id)).toEqual(['aborted'])
    expect((await today(world)).costUsd).toBeCloseTo(2)
  })

  test('an answer counts in its turn also when the server stops while its calls run', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['bash'] } } })
    price(world)
    world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'echo begun; sleep 600' } }], ...dollar }, said)
    const session = await world.session({ agent: 'coder' })
    const begun = world.streams('begun')
    const mail = await world.send(session.id, 'Run')
    await begun
    await world.restart()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', costUsd: 2, usage: { input: 2 * million } })
  })

  test('a request whose vendor did not come to say what it used counts by its size, never as nothing', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'Half a sentence', hang: true })
    const session = await world.session()
    const speaks = world.streams('Half')
    const mail = await world.send(session.id, 'x'.repeat(30_000))
    await speaks
    await act(world, session.id, 'cancel')
    await world.settled(mail.mailId)
    const { tokens, costUsd, unpricedTokens } = await world.look(session.id)
    expect(tokens.input).toBeGreaterThan(30_000 / 4)
    expect({ costUsd, unpricedTokens }).toEqual({ costUsd: 0, unpricedTokens: tokens.input + tokens.output })
  })

  test('a question that was not answered tells what was spent on it all the same', async () => {
    const world = await createWorld({ store })
    price(world)
    parts(world, {
      Start: [{ calls: [ask('writer', 'Work')], ...dollar }, said],
      Work: [{ calls: [{ name: 'list_dir', input: { path: '.' } }], ...dollar }, { error: { kind: 'auth' } }],
    })
    const session = await world.session()
    await world.say(session.id, 'Start')
    const spent = { costUsd: 1, totalCostUsd: 1, unpricedTokens: 0 }
    expect(await world.results(session.id)).toMatchObject([{ status: 'failed', ...spent }])
  })

  test('the day counts every request once: children, forks and cleared logs neither double nor hide it', async () => {
    const world = await createWorld({ store })
    price(world)
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'Work')], ...dollar },
        { text: 'Thanks.', ...dollar },
      ],
      Work: [{ text: 'Done.', ...dollar }],
    })
    const session = await world.session()
    expect(await world.say(session.id, 'Start')).toMatchObject({ costUsd: 2, totalCostUsd: 3 })
    expect(await today(world)).toEqual({ costUsd: 3, unpricedTokens: 0 })
    await world.ok('POST', `/api/sessions/${session.id}/fork`)
    await act(world, session.id, 'clear')
    expect(await today(world)).toEqual({ costUsd: 3, unpricedTokens: 0 })
    expect((await costs(world, 'day')).map(({ costUsd }) => costUsd)).toEqual([3])
    const byAgent = (await costs(world, 'agent')).map(({ key, costUsd, messages }) => [key, costUsd, messages])
    expect(byAgent).toEqual([
      ['assistant', 2, 2],
      ['writer', 1, 1],
    ])
  })
})

describe.each(stores)('a price that nobody knows on %s', (store) => {
  test('is told as unpriced tokens in the reply, the session, the turn and the day', async () => {
    const world = await createWorld({ store })
    world.vendor.script(() => said)
    const session = await world.session()
    expect(await today(world)).toEqual({ costUsd: 0, unpricedTokens: 0 })
    const tokens = { input: million, output: 1, cached: 0, reasoning: 0 }
    const spent = { costUsd: 0, totalCostUsd: 0, unpricedTokens: million + 1 }
    expect(await world.say(session.id, 'Talk')).toMatchObject(spent)
    expect(await world.look(session.id)).toMatchObject({ ...spent, tokens })
    const ended = (await world.events(session.id)).find(({ type }) => type === 'turn.ended')
    expect(ended?.data).toMatchObject({ ...spent, tokens })
    expect(await today(world)).toEqual({ costUsd: 0, unpricedTokens: million + 1 })
  })

  test('under a limit in money is not asked at all, and the sentence says how to set it', async () => {
    const world = await createWorld({ store, settings: { limits: { maxCostUsd: 4 } } })
    world.vendor.script(() => said)
    const session = await world.session()
    const { end, reason } = await world.say(session.id, 'Talk')
    expect(end).toBe('limit')
    expect(reason).toMatch(/price of lab\/test-model is not known.*limits\.maxCostUsd.*providers\.lab\.prices.*remove/)
    expect(world.vendor.requests).toEqual([])
    price(world)
    expect(await world.say(session.id, 'Talk')).toMatchObject({ end: 'done', costUsd: 1 })
  })

  test('under a limit in money makes way for the next model of the chain, visibly', async () => {
    const files = cast({ saver: { model: 'lab/unpriced', fallbackModels: ['lab/test-model'], description: 'Saves.' } })
    const world = await createWorld({ store, files, settings: { limits: { maxCostUsd: 4 } } })
    price(world)
    world.vendor.script(() => said)
    const session = await world.session({ agent: 'saver' })
    expect(await world.say(session.id, 'Talk')).toMatchObject({ end: 'done', costUsd: 1 })
    const switched = (await world.events(session.id)).find(({ type }) => type === 'model.switched')
    expect(switched?.data).toMatchObject({
      from: 'lab/unpriced',
      to: 'lab/test-model',
      reason: expect.stringContaining('price'),
    })
    expect(world.vendor.requests.map(({ model }) => model)).toEqual(['test-model'])
  })

  test('of a child is not asked for under the limit in money of its parent', async () => {
    const files = cast({
      saver: { description: 'Saves.', model: 'lab/test-model', limits: { maxCostUsd: 4 } },
      waster: { description: 'Wastes.', model: 'lab/unpriced' },
    })
    const world = await createWorld({ store, files })
    price(world)
    parts(world, {
      Start: [{ calls: [spawn('waster', 'Work')], ...dollar }, { text: 'A pity.' }],
      Work: [{ text: 'Never said.', ...dollar }],
    })
    const session = await world.session({ agent: 'saver' })
    expect(await world.say(session.id, 'Start')).toMatchObject({ end: 'done', unpricedTokens: 0 })
    const [{ error }] = (await world.results(session.id)) as [{ error: string }]
    expect(error).toMatch(/price of lab\/unpriced is not known, so the budget of whoever gave this work.*prices/)
    expect(world.vendor.requests.map(({ model }) => model)).not.toContain('unpriced')
  })
})

describe.each(stores)('what a child cost on %s', (store) => {
  const priced = async () => {
    const world = await createWorld({ store })
    price(world)
    return world
  }

  test('is added once, however often its parent asks for it', async () => {
    const world = await priced()
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'Work')], ...dollar },
        (request) => ({ calls: [waitFor(tasksIn(request))], ...dollar }),
        said,
      ],
      Work: [{ text: 'Done.', ...dollar }],
    })
    const session = await world.session()
    await world.say(session.id, 'Start')
    expect(await world.results(session.id)).toMatchObject([{ totalCostUsd: 1 }, { tasks: [{ totalCostUsd: 1 }] }])
    expect(spentBy(await world.look(session.id))).toEqual({ costUsd: 3, totalCostUsd: 4, unpricedTokens: 0 })
  })

  test('is added once when it was told by mail and is asked for after that', async () => {
    const world = await priced()
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'Work', free)], ...dollar },
        { text: 'Given.', ...dollar },
        (request) => ({ calls: [waitFor(tasksIn(request))], ...dollar }),
        said,
      ],
      Work: [{ text: 'Done.', ...dollar }],
    })
    const session = await world.session()
    await world.say(session.id, 'Start')
    await world.eventually(async () => (await world.look(session.id)).lastSnippet === 'Well.')
    await atRest(world)
    expect(spentBy(await world.look(session.id))).toEqual({ costUsd: 4, totalCostUsd: 5, unpricedTokens: 0 })
  })

  test('is added once when it is asked for while the mail that tells it waits', async () => {
    const world = await priced()
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'Work', free)], ...dollar },
        (request) => ({ calls: [waitFor(tasksIn(request))], ...dollar, delay: gate.promise }),
        said,
      ],
      Work: [{ text: 'Done.', ...dollar }],
    })
    const session = await world.session()
    const mail = await world.send(session.id, 'Start')
    await noticeWaits(world, session.id)
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', costUsd: 3, totalCostUsd: 4 })
    await atRest(world)
    expect(spentBy(await world.look(session.id))).toEqual({ costUsd: 3, totalCostUsd: 4, unpricedTokens: 0 })
  })

  test('reaches the top also when its own child ends after it', async () => {
    const world = await priced()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Outer')], ...dollar }],
      Outer: [{ calls: [spawn('coder', 'Inner')], ...dollar }],
      Inner: [{ calls: [nap], ...dollar }],
    })
    const session = await world.session()
    await world.send(session.id, 'Start')
    await taskOf(world, 'Inner', 'waiting')
    await world.reaches(session.id, 'waiting')
    await act(world, session.id, 'cancel')
    await taskOf(world, 'Inner', 'canceled')
    await atRest(world)
    expect(spentBy(await world.look(session.id))).toEqual({ costUsd: 1, totalCostUsd: 3, unpricedTokens: 0 })
    expect(await today(world)).toEqual({ costUsd: 3, unpricedTokens: 0 })
  })

  test('reaches the top also when the mail that tells it is never read', async () => {
    const world = await priced()
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Outer')], ...dollar }],
      Outer: [
        { calls: [spawn('coder', 'Inner', free)], ...dollar },
        { text: 'Never said.', delay: gate.promise },
      ],
      Inner: [{ text: 'Done.', ...dollar }],
    })
    const session = await world.session()
    await world.send(session.id, 'Start')
    await taskOf(world, 'Inner', 'finished')
    const { session_id: outer } = await taskOf(world, 'Outer', 'processing')
    await noticeWaits(world, outer)
    await act(world, session.id, 'cancel')
    await taskOf(world, 'Outer', 'canceled')
    gate.resolve()
    await atRest(world)
    expect(spentBy(await world.look(session.id))).toEqual({ costUsd: 1, totalCostUsd: 3, unpricedTokens: 0 })
  })

  test('counts in the turn that waited for it, also when that is canceled before it reads the result', async () => {
    const world = await priced()
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Work')], ...dollar }],
      Work: [{ text: 'Done.', delay: gate.promise, ...dollar }],
    })
    const session = await world.session()
    const mail = await world.send(session.id, 'Start')
    await world.reaches(session.id, 'waiting')
    await act(world, session.id, 'pause')
    gate.resolve()
    await taskOf(world, 'Work', 'finished')
    await atRest(world)
    await act(world, session.id, 'cancel')
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'canceled', costUsd: 1, totalCostUsd: 2 })
    expect(spentBy(await world.look(session.id))).toEqual({ costUsd: 1, totalCostUsd: 2, unpricedTokens: 0 })
  })

  test('reaches the top also when whoever waited for it is deleted before it reads the result', async () => {
    const world = await priced()
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Outer')], ...dollar }, said],
      Outer: [{ calls: [spawn('coder', 'Inner')], ...dollar }],
      Inner: [{ text: 'Done.', delay: gate.promise, ...dollar }],
    })
    const session = await world.session()
    const mail = await world.send(session.id, 'Start')
    const { session_id: outer } = await taskOf(world, 'Outer', 'waiting')
    await world.reaches(outer, 'waiting')
    await act(world, outer, 'pause')
    gate.resolve()
    await taskOf(world, 'Inner', 'finished')
    await atRest(world)
    await world.ok('DELETE', `/api/sessions/${outer}`)
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', costUsd: 2, totalCostUsd: 4 })
  })
})
