import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Run, RunStatus } from '../../src/contract/runs.ts'
import { createClock } from '../kit/clock.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { atRest, heard, notices, sessions } from '../kit/records.ts'
import { boardBecomes, boardOf, finishRun, startRun, statuses, workNode } from '../kit/runs.ts'
import { askPerson, dollar, parts, price, tell } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const noted = { text: 'Noted.' }

const runBecomes = (world: World, { id }: Pick<Run, 'id'>, status: RunStatus): Promise<Run> =>
  world.eventually(async () => {
    const run = await world.ok<Run>('GET', `/api/runs/${id}`)
    return run.status === status && run
  })

const answer = (world: World, { id }: Pick<InboxItem, 'id'>, words: string) =>
  world.ok('POST', `/api/inbox/${id}/answer`, { answer: words })

/** A coordinator that ends the run once it was told that all of these have finished, and notes all else. */
const untilAll =
  (titles: readonly string[], summary: string) =>
  ({ messages }: SeenRequest): Reply => {
    const told = messages.filter(({ role }) => role === 'user').map(({ text }) => text)
    const done = titles.every((title) => told.some((text) => text.includes(`"${title}" (`)))
    const ended = messages.some(({ calls }) => calls.some(({ name }) => name === 'finish'))
    return done && !ended ? { calls: [finishRun(summary)] } : noted
  }

/** The statuses that a run came through. */
const lifeOf = async (world: World): Promise<string[]> =>
  (await world.events()).flatMap(({ type, data }) => (type === 'run.status' ? [(data as { to: string }).to] : []))

function passes(world: World, clock: ReturnType<typeof createClock>, seconds: number): void {
  clock.at += seconds * 1000
  world.server.core.alarm(0)
}

describe.each(stores)('a run on %s', (store) => {
  test('is paused as a whole, starts nothing, survives a restart so, and goes on where it was', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentWorkers: 2 } } })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Goal: [
        { calls: ['One', 'Two', 'Three'].map((name) => workNode(`Piece ${name}`)) },
        untilAll(['Piece One', 'Piece Two', 'Piece Three'], 'All three.'),
      ],
      'Piece One': [{ calls: [askPerson] }, { text: 'One is done.' }],
      Piece: [{ calls: [{ name: 'todo_read', input: {} }], delay: gate.promise }, { text: 'Done.' }],
    })
    const run = await startRun(world, 'Goal')
    await boardBecomes(world, run, { 'Piece One': 'waiting', 'Piece Two': 'processing', 'Piece Three': 'processing' })
    await world.reaches(run.sessionId, 'idle')
    expect(await world.ok('POST', `/api/runs/${run.id}/pause`)).toMatchObject({ status: 'paused' })
    await world.reaches(run.sessionId, 'paused')
    gate.resolve()
    await atRest(world)
    const before = world.vendor.requests.length
    const members = (await sessions(world)).filter(({ runId }) => runId === run.id)
    expect(members.map(({ status, reason }) => [status, reason])).toEqual(
      Array(4).fill(['paused', 'Its run is paused.']),
    )
    expect(members.map(({ worker }) => worker ?? 'none').toSorted()).toEqual([
      'none',
      'worker-1',
      'worker-2',
      'worker-3',
    ])

    await world.restart()
    const [question] = (await world.inbox()).filter(({ kind }) => kind === 'question')
    await answer(world, question!, 'Yes')
    await world.ok('POST', `/api/runs/${run.id}/messages`, { content: 'Read this later' })
    await atRest(world)
    expect(world.vendor.requests.length).toBe(before)
    expect(await world.ok('POST', `/api/runs/${run.id}/resume`)).toMatchObject({ status: 'working' })
    await runBecomes(world, run, 'finished')
    await atRest(world)
    expect(await statuses(world, run)).toEqual({
      'Piece One': 'finished',
      'Piece Two': 'finished',
      'Piece Three': 'finished',
    })
    expect((await heard(world, { id: run.sessionId })).filter((text) => text.includes('Read this later'))).toHaveLength(
      1,
    )
    expect(await lifeOf(world)).toEqual(['paused', 'working', 'finished'])
  })

  test('reminds a coordinator that ends its turn with nothing open, once, and then waits for the person, who is told', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Goal: [
        noted,
        noted,
        { calls: [askPerson] },
        { calls: [workNode('Piece')] },
        noted,
        { calls: [finishRun('Well.')] },
        noted,
      ],
    })
    const run = await startRun(world, 'Goal')
    expect(await runBecomes(world, run, 'waiting')).toMatchObject({
      reason: expect.stringContaining('has not called finish'),
    })
    await atRest(world)
    expect(await notices(world, run.sessionId)).toEqual([expect.stringContaining('call finish')])
    expect((await world.inbox()).map(({ title }) => title)).toEqual(['The run "Goal" waits for you'])

    // What it asks is what the run waits for then; the answer has it work again.
    await world.ok('POST', `/api/runs/${run.id}/messages`, { content: 'Go on' })
    const asked = await world.eventually(async () => (await world.inbox()).find(({ kind }) => kind === 'question'))
    expect(await runBecomes(world, run, 'waiting')).toMatchObject({ reason: asked.title })
    await answer(world, asked, 'Yes')
    await runBecomes(world, run, 'finished')
    await atRest(world)
    expect(await lifeOf(world)).toEqual(expect.arrayContaining(['waiting', 'working', 'finished']))
    expect(await notices(world, run.sessionId)).toHaveLength(2)
    // The notice that it waits is over with it.
    expect(await world.inbox()).toEqual([])
  })

  test('pauses at a limit, asks once, loses nothing, and goes on when it is raised or ends when it is not', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Goal: [
        { calls: [workNode('One'), workNode('Two')] },
        (request) => {
          const raised = request.messages.some(({ role, text }) => role === 'user' && text.includes('it has 1 nodes'))
          const made = request.messages.flatMap(({ calls }) => calls).length
          return raised && made < 3 ? { calls: [workNode('Two')] } : untilAll(['One', 'Two'], 'Both.')(request)
        },
      ],
      One: [{ calls: [tell('coordinator', 'Hello'), tell('coordinator', 'Hello again')] }, noted],
    })
    const run = await startRun(world, 'Goal', { limits: { maxNodes: 1, maxMessages: 2 } })
    const paused = await runBecomes(world, run, 'paused')
    await atRest(world)
    const [item, ...others] = await world.inbox()
    expect(others).toEqual([])
    expect(item).toMatchObject({ id: paused.inboxId, kind: 'notice' })
    expect(paused.reason).toBe(item!.body.split(' Nothing is lost')[0])
    expect(await world.request('POST', `/api/runs/${run.id}/resume`)).toMatchObject({ status: 409 })
    expect(await world.request('POST', `/api/inbox/${item!.id}/dismiss`)).toMatchObject({ status: 400 })
    expect(await world.request('POST', `/api/inbox/${item!.id}/answer`, { answer: 'raise to 1' })).toMatchObject({
      status: 400,
      body: { error: { code: 'inbox.bad_answer' } },
    })
    await answer(world, item!, 'raise to 9')
    // The other limit is reached too.
    const second = await world.eventually(async () => (await world.inbox()).find(({ id }) => id !== item!.id))
    expect(new Set([item!.title, second.title].map((title) => title.split(': ')[1]))).toEqual(
      new Set(['it has 1 nodes', 'its members wrote 2 messages to each other']),
    )
    await answer(world, second, 'raise to 9')
    expect(await runBecomes(world, run, 'finished')).toMatchObject({ limits: { maxNodes: 9, maxMessages: 9 } })
    await atRest(world)
    expect(await statuses(world, run)).toEqual({ One: 'finished', Two: 'finished' })
    expect((await heard(world, { id: run.sessionId })).filter((text) => text.includes('Hello again'))).toHaveLength(1)
    expect(await world.inbox()).toEqual([])
  })
})

describe.each(storesInTurn(import.meta.filename))('the limits of a run on %s', (store) => {
  test('its budget pauses it as a whole; raised it goes on, and it shows what it cost', async () => {
    const world = await createWorld({ store })
    price(world)
    parts(world, {
      Goal: [
        { calls: [workNode('Piece')], ...dollar },
        { ...noted, ...dollar },
        { calls: [finishRun('Done.')], ...dollar },
        { ...noted, ...dollar },
      ],
      Piece: [{ text: 'Made.', ...dollar }],
    })
    const run = await startRun(world, 'Goal', { model: 'lab/test-model', limits: { maxCostUsd: 2 } })
    expect(await runBecomes(world, run, 'paused')).toMatchObject({ reason: expect.stringContaining('budget') })
    await atRest(world)
    const [item] = await world.inbox()
    expect(item!.title).toContain('The budget of the run "Goal" is used up')
    await answer(world, item!, 'raise to 50')
    const done = await runBecomes(world, run, 'finished')
    // Its worker was asked what it learned, too.
    expect(done).toMatchObject({ costUsd: expect.closeTo(4, 1), coordinatorCostUsd: 3, unpricedTokens: 0 })
    await atRest(world)
  })

  test('its budget holds its coordinator too, where nobody else works', async () => {
    const world = await createWorld({ store })
    price(world)
    const think = { calls: [{ name: 'todo_read', input: {} }], ...dollar }
    parts(world, { Goal: [think, think, think, { calls: [finishRun('Done.')], ...dollar }, { ...noted, ...dollar }] })
    const run = await startRun(world, 'Goal', { model: 'lab/test-model', limits: { maxCostUsd: 2.5 } })
    await runBecomes(world, run, 'paused')
    await atRest(world)
    expect(await world.ok('GET', `/api/runs/${run.id}`)).toMatchObject({ costUsd: 2, coordinatorCostUsd: 2 })
    const [item] = await world.inbox()
    await answer(world, item!, 'raise to 50')
    expect(await runBecomes(world, run, 'finished')).toMatchObject({ costUsd: expect.closeTo(4, 1) })
    await atRest(world)
  })

  test('when its time is up it asks, and "stop" ends it; a run that nobody attends to fails instead', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const pass = (seconds: number) => passes(world, clock, seconds)
    parts(world, { Goal: [{ calls: [askPerson] }, noted], Alone: [noted] })
    const run = await startRun(world, 'Goal', { limits: { maxDurationSeconds: 60 } })
    await runBecomes(world, run, 'waiting')
    pass(61)
    await runBecomes(world, run, 'paused')
    const item = (await world.inbox()).find(({ kind }) => kind === 'notice')!
    expect(item.title).toContain('it has been open for 60 seconds')
    await answer(world, item, 'stop')
    expect(await runBecomes(world, run, 'stopped')).toMatchObject({
      reason: expect.stringContaining('maxDurationSeconds'),
    })
    await world.ok('DELETE', `/api/runs/${run.id}`)
    await world.ok('DELETE', `/api/runs/${run.id}`)
    expect(await world.ok('GET', '/api/runs')).toMatchObject({ items: [] })
    expect(await world.ok('GET', '/api/runs?archived=true')).toMatchObject({ items: [{ id: run.id }] })

    const alone = await startRun(world, 'Alone', { unattended: 'deny' })
    expect(await runBecomes(world, alone, 'failed')).toMatchObject({
      reason: expect.stringContaining('has not called finish'),
    })
    await world.ok('DELETE', `/api/runs/${alone.id}`)
    await atRest(world)
  })

  test('an infinite run begins cycle after cycle, each once, until it is stopped', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const pass = (seconds: number) => passes(world, clock, seconds)
    const piece = (number: number) => ({ calls: [workNode(`Day ${number}`)] })
    parts(world, { Watch: [piece(1), noted, noted, piece(2), noted, noted, piece(3), noted, noted] })
    const run = await startRun(world, 'Watch', { mode: 'infinite', cycleSeconds: 100 })
    for (const number of [1, 2, 3]) {
      await boardBecomes(world, run, { [`Day ${number}`]: 'finished' })
      await world.eventually(async () => (await boardOf(world, run)).run.cycle === number + 1)
      await atRest(world)
      if (number === 2) await world.restart()
      if (number < 3) pass(101)
    }
    const { run: now, nodes } = await boardOf(world, run)
    expect(now).toMatchObject({ status: 'working', mode: 'infinite', cycle: 4, nextCycleAt: expect.any(String) })
    expect(nodes.map(({ title }) => title)).toEqual(['Day 1', 'Day 2', 'Day 3'])
    expect((await notices(world, run.sessionId)).filter((text) => text.startsWith('Cycle'))).toEqual([
      expect.stringContaining('Cycle 2'),
      expect.stringContaining('Cycle 3'),
    ])
    const before = world.vendor.requests.length
    expect(await world.ok('POST', `/api/runs/${run.id}/stop`)).toMatchObject({ status: 'stopped' })
    pass(1000)
    await atRest(world)
    expect(world.vendor.requests.length).toBe(before)
    expect(await world.inbox()).toEqual([])
  })

  test('a conversation goes on across runs: one at a time, and the coordinator of a finished one still answers', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Hello: [
        { text: 'Hello.' },
        { calls: [workNode('First piece')] },
        noted,
        { calls: [finishRun('One.')] },
        { text: 'Over.' },
        { text: 'Still here.' },
        { calls: [workNode('Second piece')] },
        noted,
        { calls: [finishRun('Two.')] },
        { text: 'Over.' },
      ],
    })
    const talk = await world.session({ agent: 'coordinator' })
    await world.say(talk.id, 'Hello')
    const first = await startRun(world, 'First goal', { session: talk.handle })
    expect(first).toMatchObject({ sessionId: talk.id, agent: 'coordinator' })
    expect(await world.request('POST', '/api/runs', { goal: 'Another', session: talk.id })).toMatchObject({
      status: 409,
    })
    expect(await runBecomes(world, first, 'finished')).toMatchObject({ summary: 'One.', nodes: { finished: 1 } })
    await atRest(world)
    expect(await world.say(talk.id, 'Are you there?')).toMatchObject({ reply: 'Still here.' })
    const second = await startRun(world, 'Second goal', { session: talk.id })
    expect(await runBecomes(world, second, 'finished')).toMatchObject({ summary: 'Two.', nodes: { finished: 1 } })
    await atRest(world)
    expect(await world.look(talk.id)).toMatchObject({ runId: second.id, status: 'idle' })
    expect((await boardOf(world, first)).workers.map(({ name }) => name)).toEqual(['worker-1'])
    const other = await world.session({ agent: 'writer' })
    expect(
      await world.request('POST', '/api/runs', { goal: 'Goal', session: other.id, agent: 'coordinator' }),
    ).toMatchObject({ status: 400 })
  })
})
