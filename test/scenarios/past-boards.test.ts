import { describe, expect, test } from 'vitest'
import type { Event } from '../../src/contract/events.ts'
import { foldBoard } from '../../src/contract/fold-board.ts'
import type { Board, Run } from '../../src/contract/runs.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest } from '../kit/records.ts'
import { nodesIn, startRun, takeOn, workNode } from '../kit/runs.ts'
import { askPerson, price } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Histories that nobody thought of: members of a run and a person do what they like, and boards are read meanwhile. */

type Random = () => number

function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const oneOf = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!
const call = (name: string, input: Record<string, unknown>) => ({ name, input })

function coordinates(random: Random, request: SeenRequest): Reply {
  const nodes = nodesIn(request)
  const some = nodes.filter(() => random() < 0.3).slice(0, 3)
  const node = nodes.length === 0 ? 'node_none' : oneOf(random, nodes)
  const worker = oneOf(random, ['Ann', 'bob', 'worker-1'])
  const contract = { checkpointPolicy: oneOf(random, ['all', 'majority', 'any']), maxIterationsPerNode: 2 }
  const calls = [
    workNode(`Piece ${nodes.length}\n${'long '.repeat(200)}`, { dependsOn: some }),
    workNode('Plain piece'),
    workNode('Her piece', { worker: 'Ann' }),
    takeOn(worker),
    call('assign_worker', { nodeId: node, worker }),
    call('cancel_node', { nodeId: node }),
    call('retire_worker', { worker }),
    call('start_stage', { name: 'Stage', nodes: some.length > 0 ? some : [node], contract }),
    call('reconvene', { assessment: 'Well.' }),
    call('check_board', {}),
  ]
  if (nodes.length > 0 && random() < 0.3) return { text: 'I wait.' }
  return { calls: [oneOf(random, calls), oneOf(random, calls)] }
}

const works = (random: Random): Reply =>
  oneOf<Reply>(random, [
    { text: `Made.\n${'much '.repeat(300)}` },
    { text: 'Made.' },
    { calls: [askPerson] },
    { calls: [call('checkpoint', { summary: 'Half.' }), call('suggest_next', { suggestion: 'More.' })] },
    { calls: [workNode('Part of it')] },
    { calls: [call('publish', { summary: 'All of it.' })] },
  ])

/** The board and the position at which it was read. */
async function snapshot(world: World, { id }: Run): Promise<{ seq: string; board: Board }> {
  const { body, headers } = await world.request<Board>('GET', `/api/runs/${id}/board`)
  return { board: body, seq: headers.get('troupe-seq')! }
}

/** Money is summed in another order. What a run is asked about, and its limits, are told as they are now. */
function rounded({ run, nodes, workers, ...board }: Board) {
  const { inboxId: _, limits: __, costUsd, coordinatorCostUsd, ...rest } = run
  const nano = (usd: number): number => Math.round(usd * 1e9)
  const spent = <T extends { costUsd: number }>(all: readonly T[]) =>
    all.map((one) => ({ ...one, costUsd: nano(one.costUsd) }))
  const money = [costUsd, coordinatorCostUsd].map(nano)
  return { ...board, nodes: spent(nodes), workers: spent(workers), run: { ...rest, money } }
}

async function meddle(world: World, random: Random, run: Run, { nodes }: Board): Promise<void> {
  const items = await world.inbox()
  if (items.length > 0 && random() < 0.6) {
    await world.request('POST', `/api/inbox/${oneOf(random, items).id}/answer`, { answer: 'Yes' })
    return
  }
  if (nodes.length === 0 || random() < 0.4) return void (await world.send(run.sessionId, 'Go on'))
  const path = `/api/runs/${run.id}/nodes/${oneOf(random, nodes).id}`
  const does = oneOf(random, ['edit', 'free', 'cancel', 'retry', 'retry'])
  if (does === 'edit') await world.request('PATCH', path, { spec: 'Another\ntext' })
  else if (does === 'free') await world.request('PATCH', path, { worker: null })
  else await world.request('POST', `${path}/${does}`)
}

describe.each(storesInTurn(import.meta.filename))('the board of the past, on %s', (store) => {
  test('is at every event what was read then, and a client that folds events sees what the server reads', {
    timeout: 240_000,
  }, async () => {
    const seed = Math.floor(Math.random() * 1e9)
    const random = randomFrom(seed)
    const world = await createWorld({ store })
    price(world)
    await world.restart()
    world.vendor.script((request) =>
      request.tools.includes('check_board')
        ? coordinates(random, request)
        : request.tools.includes('publish')
          ? works(random)
          : { text: 'Over.' },
    )
    const run = await startRun(world, 'Anything', { limits: { maxNodes: 300, maxDepth: 20 } })
    const seen = [await snapshot(world, run)]
    // However the dice fall, there is a board to look at.
    const isSmall = () => seen.at(-1)!.board.nodes.length <= 2
    for (let step = 0; step < 15 || (isSmall() && step < 45); step++) {
      await meddle(world, random, run, seen.at(-1)!.board)
      seen.push(await snapshot(world, run))
      // Now and then everybody comes as far as they can.
      if (step % 3 > 0) continue
      await atRest(world)
      seen.push(await snapshot(world, run))
    }
    await world.ok('POST', `/api/runs/${run.id}/stop`)
    await atRest(world)
    seen.push(await snapshot(world, run))
    expect(seen.at(-1)!.board.nodes.length, `seed ${seed}`).toBeGreaterThan(2)
    for (const { seq, board } of seen) {
      const then = await world.ok<Board>('GET', `/api/runs/${run.id}/graph?at=${encodeURIComponent(seq)}`)
      expect(rounded(then), `seed ${seed}`).toEqual(rounded(board))
    }
    const begin = seen[Math.floor(seen.length / 2)]!
    const after = await eventsAfter(world, run, begin.seq)
    expect(rounded(after.reduce(foldBoard, begin.board)), `seed ${seed}`).toEqual(rounded(seen.at(-1)!.board))
    expect(await world.request('GET', `/api/runs/${run.id}/graph?at=nonsense`)).toMatchObject({ status: 400 })
  })
})

async function eventsAfter(world: World, { id }: Run, seq: string): Promise<Event[]> {
  const all: Event[] = []
  for (let after = seq; ; ) {
    const query = new URLSearchParams({ run: id, after, limit: '200' })
    const page = await world.ok<{ items: Event[]; seq: string }>('GET', `/api/events?${query}`)
    all.push(...page.items)
    if (page.items.length < 200) return all
    after = page.seq
  }
}
