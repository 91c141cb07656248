import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Board, Node } from '../../src/contract/runs.ts'
import { createClock } from '../kit/clock.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { atRest, notices } from '../kit/records.ts'
import {
  boardBecomes,
  boardOf,
  finishRun,
  nodesIn,
  runBecomes,
  stage,
  startRun,
  takeOn,
  untilTold,
  workNode,
} from '../kit/runs.ts'
import { askPerson, dollar, parts, price, spawn } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const noted = { text: 'Noted.' }

const reasons = async (world: World, run: { id: string }) =>
  Object.fromEntries((await boardOf(world, run)).nodes.map(({ title, reason }) => [title, reason]))

describe.each(stores)('what is told of a run, on %s:', (store) => {
  test('a node that is stopped says who called it off, and no worker is left when the run has ended', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Goal: [{ calls: [workNode('Alone'), workNode('Above'), workNode('Last')] }, noted],
      Above: [{ calls: [workNode('Below')] }, { text: 'I wait.' }],
      Alone: [{ calls: [askPerson] }],
      Below: [{ calls: [askPerson] }],
      Last: [{ calls: [askPerson] }],
    })
    const run = await startRun(world, 'Goal')
    const all = { Alone: 'waiting', Above: 'waiting', Below: 'waiting', Last: 'waiting' }
    const { nodes } = await boardBecomes(world, run, all)
    const idOf = (title: string) => nodes.find((node) => node.title === title)!.id
    await world.ok('POST', `/api/runs/${run.id}/nodes/${idOf('Alone')}/cancel`)
    await world.ok('POST', `/api/runs/${run.id}/nodes/${idOf('Above')}/cancel`)
    await boardBecomes(world, run, { Alone: 'canceled', Above: 'canceled', Below: 'canceled' })
    await atRest(world)
    expect((await notices(world, run.sessionId)).join('\n')).toContain('canceled: A person called it off.')
    await world.ok('POST', `/api/runs/${run.id}/stop`)
    await atRest(world)
    expect(await reasons(world, run)).toEqual({
      Alone: 'A person called it off.',
      Above: 'A person called it off.',
      Below: 'The node above it, "Above", has ended.',
      Last: 'A person stopped it.',
    })
    const { workers } = await boardOf(world, run)
    expect(workers.map(({ status }) => status)).toEqual(workers.map(() => 'retired'))
    expect(await world.ok('GET', '/api/why/latest')).toMatchObject({ ref: run.id, state: 'stopped' })
    expect(await world.ok('GET', `/api/why/${run.id.slice(0, 9)}`)).toMatchObject({ ref: run.id })
  })

  test('a run counts its workers by what they do, events tell of it, a stage is planned until a node of it begins, and helpers cost their node', async () => {
    const world = await createWorld({ store })
    price(world)
    await world.restart()
    parts(world, {
      Goal: [
        { calls: [takeOn('Ann'), takeOn('Ben'), workNode('First', { worker: 'Ann' })] },
        (request) => ({ calls: [workNode('Later', { worker: 'Ben', dependsOn: nodesIn(request) })] }),
        (request) => ({ calls: [stage('Second', nodesIn(request).slice(-1))] }),
        noted,
      ],
      First: [{ calls: [spawn('writer', 'Help')], ...dollar }, { calls: [askPerson] }, { text: 'Done.' }],
      Help: [{ text: 'Helped.', ...dollar }],
      Later: [{ calls: [askPerson] }],
    })
    const run = await startRun(world, 'Goal')
    await world.reaches(run.sessionId, 'idle')
    await world.eventually(async () => (await world.inbox()).length === 1)
    await boardBecomes(world, run, { First: 'waiting' })
    const board = await boardOf(world, run)
    expect(board.run.workers).toEqual({ waiting: 1, idle: 1 })
    expect(board.stages).toMatchObject([{ name: 'Second', status: 'planning' }])
    expect(board.run).toMatchObject({ stageId: board.stages[0]!.id })
    expect(Math.floor(board.nodes[0]!.costUsd)).toBe(2)
    expect(Math.floor(board.workers.find(({ name }) => name === 'Ann')!.costUsd)).toBe(1)

    await world.ok('POST', `/api/inbox/${(await world.inbox())[0]!.id}/answer`, { answer: 'Yes' })
    await boardBecomes(world, run, { Later: 'waiting' })
    await atRest(world)
    expect((await boardOf(world, run)).stages).toMatchObject([{ status: 'running' }])
    const { stages, run: past } = await world.ok<Board>('GET', `/api/runs/${run.id}/graph`)
    expect([stages, past.workers]).toMatchObject([[{ status: 'running' }], { waiting: 1, idle: 1 }])
    const told = (await world.events()).flatMap(({ type, data }) =>
      type === 'worker.status' ? [data as { name: string; from: string; to: string }] : [],
    )
    for (const [who, last] of [
      ['Ann', 'idle'],
      ['Ben', 'waiting'],
    ]) {
      const own = told.filter(({ name }) => name === who)
      expect(own.map(({ from }) => from)).toEqual(['idle', ...own.slice(0, -1).map(({ to }) => to)])
      expect([own[0]!.to, own.at(-1)!.to]).toEqual(['busy', last])
    }
  })

  test('each node and each worker shows what it cost, now and on the board of the past', async () => {
    const world = await createWorld({ store })
    price(world)
    await world.restart()
    parts(world, {
      Goal: [
        { calls: [workNode('Cheap'), workNode('Dear')] },
        noted,
        ({ messages }) =>
          ['Cheap', 'Dear'].every((title) => messages.some(({ text }) => text.includes(`"${title}" (`)))
            ? { calls: [finishRun('Done.')] }
            : noted,
      ],
      Cheap: [{ text: 'Made.', ...dollar }],
      Dear: [
        { calls: [{ name: 'todo_read', input: {} }], ...dollar },
        { text: 'Made.', ...dollar },
      ],
    })
    const run = await startRun(world, 'Goal', { model: 'lab/test-model' })
    await runBecomes(world, run, 'finished')
    await atRest(world)
    const cents = (costs: readonly { costUsd: number }[]) => costs.map(({ costUsd }) => Math.round(costUsd))
    const { nodes, workers } = await boardOf(world, run)
    expect(cents(nodes)).toEqual([1, 2])
    expect(cents(workers).toSorted()).toEqual([1, 2])
    expect(cents([await world.ok<Node>('GET', `/api/runs/${run.id}/nodes/${nodes[1]!.id}`)])).toEqual([2])
    const past = await world.ok<{ nodes: Node[] }>('GET', `/api/runs/${run.id}/graph`)
    expect(cents(past.nodes)).toEqual([1, 2])
  })
})

describe.each(storesInTurn(import.meta.filename))('a person and a run, on %s:', (store) => {
  test('a member that they paused stays so when its run goes on, whichever came first', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Goal: [{ calls: [workNode('Busy'), workNode('Resting')] }, noted],
      Busy: [{ calls: [{ name: 'todo_read', input: {} }], delay: gate.promise }, { text: 'Done.' }],
      Resting: [{ calls: [askPerson] }],
    })
    const run = await startRun(world, 'Goal')
    const { workers, nodes } = await boardBecomes(world, run, { Busy: 'processing', Resting: 'waiting' })
    await world.reaches(run.sessionId, 'idle')
    const [busy, resting] = nodes.map(({ worker }) => workers.find(({ name }) => name === worker)!.sessionId!)
    // One is in the middle of a step, the other has been paused with the run before.
    await world.ok('POST', `/api/sessions/${busy}/pause`)
    await world.ok('POST', `/api/runs/${run.id}/pause`)
    await world.reaches(resting!, 'paused')
    await world.ok('POST', `/api/sessions/${resting}/pause`)
    await world.ok('POST', `/api/runs/${run.id}/resume`)
    await world.eventually(async () => (await world.look(run.sessionId)).status === 'idle' || undefined)
    gate.resolve()
    await atRest(world)
    for (const session of [busy!, resting!])
      expect(await world.look(session)).toMatchObject({ status: 'paused', reason: 'Paused by a person.' })
    expect(await runBecomes(world, run, 'waiting')).toMatchObject({ reason: expect.stringContaining('is paused') })
  })

  test('they are told once that the files of a run cannot be written; when that is repaired, nothing is missing', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Goal: [{ calls: [workNode('Piece')], delay: gate.promise }, noted, untilTold('Piece', 'Done.')],
    })
    const run = await startRun(world, 'Goal')
    const mails = join(world.project, '.troupe/runs', run.id, '_messages.jsonl')
    const first = await world.eventually(async () => {
      try {
        return readFileSync(mails, 'utf8')
      } catch {
        return undefined
      }
    })
    rmSync(mails)
    mkdirSync(mails)
    gate.resolve()
    await runBecomes(world, run, 'finished')
    const told = await world.eventually(async () => (await world.inbox()).find(({ kind }) => kind === 'notice'))
    expect(told).toMatchObject({ title: 'The files of the run "Goal" cannot be written' })
    expect(told.body).toContain(`.troupe/runs/${run.id}`)
    rmSync(mails, { recursive: true })
    clock.at += 31_000
    world.server.core.alarm(0)
    await atRest(world)
    const lines = readFileSync(mails, 'utf8').trim().split('\n')
    expect(first).toContain('Goal')
    expect(lines.some((line) => line.includes('Piece'))).toBe(true)
    expect(new Set(lines).size).toBe(lines.length)
    expect((await world.inbox()).filter(({ kind }) => kind === 'notice')).toHaveLength(1)
  })
})
