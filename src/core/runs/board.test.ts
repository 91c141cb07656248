import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NodeStatus } from '../../contract/runs.ts'
import { type BoardNode, cycleIn, movesOn, readyNodes, wavesOf } from './board.ts'

const node = (id: string, more: Partial<BoardNode> = {}): BoardNode => ({
  id,
  status: 'pending',
  dependsOn: [],
  parent: null,
  worker: null,
  assigned: false,
  ...more,
})

const worker = (name: string, retired = false) => ({ name, retired })

/** Nodes that depend on earlier ones only, some below others, some with a worker named. */
const boards = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat(100), { maxLength: 3 }),
      below: fc.option(fc.nat(100), { nil: undefined }),
      worker: fc.option(fc.constantFrom('Ann', 'Ben'), { nil: null }),
    }),
    { maxLength: 14 },
  )
  .map((made) =>
    made.map(({ needs, below, worker }, at) =>
      node(`n${at}`, {
        worker,
        dependsOn: at === 0 ? [] : [...new Set(needs.map((need) => `n${need % at}`))],
        parent: at === 0 || below === undefined || below % 3 > 0 ? null : `n${below % at}`,
      }),
    ),
  )

test('whatever happens to nodes that began, the board comes to an end and never breaks its own rules', () => {
  fc.assert(
    fc.property(boards, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat(9)), (made, limit, dice) => {
      const nodes = new Map(made.map((one) => [one.id, one]))
      const workers = new Map<string, { name: string; retired: boolean }>()
      const all = () => [...nodes.values()]
      const set = (id: string, change: Partial<BoardNode>) => nodes.set(id, { ...nodes.get(id)!, ...change })
      for (let round = 0; round < 200; round++) {
        const before = new Map(all().map(({ id, status }) => [id, status]))
        const { block, free, cancel, assign } = movesOn(all(), [...workers.values()], limit)
        for (const [id, above] of cancel) {
          expect(['failed', 'canceled']).toContain(cancel.has(above) ? 'canceled' : before.get(above))
          set(id, { status: 'canceled' })
        }
        for (const id of block.keys()) set(id, { status: 'blocked' })
        for (const id of free) set(id, { status: 'pending' })
        for (const { node: id, worker: name, isNew } of assign) {
          expect(workers.has(name)).toBe(!isNew)
          workers.set(name, worker(name))
          const given = nodes.get(id)!
          expect(given.dependsOn.map((needed) => nodes.get(needed)!.status)).toEqual(
            given.dependsOn.map(() => 'finished'),
          )
          if (given.worker !== null) expect(name).toBe(given.worker)
          set(id, { worker: name, assigned: true })
        }
        const atWork = all().filter(({ status, assigned }) => status === 'pending' && assigned)
        expect(atWork.length).toBeLessThanOrEqual(limit)
        expect(new Set(atWork.map(({ worker }) => worker)).size).toBe(atWork.length)
        // What follows is written: looked at again, nothing more follows.
        expect(movesOn(all(), [...workers.values()], limit)).toEqual({
          block: new Map(),
          free: [],
          cancel: new Map(),
          assign: [],
        })
        if (atWork.length === 0) break
        const ended = atWork[dice.next().value! % atWork.length]!
        const ways: NodeStatus[] = ['finished', 'finished', 'finished', 'failed', 'canceled']
        set(ended.id, { status: ways[dice.next().value! % ways.length]! })
      }
      const left = all().filter(({ status }) => !['finished', 'failed', 'canceled', 'blocked'].includes(status))
      expect(left).toEqual([])
      for (const { id, status, dependsOn } of all().filter((one) => one.status === 'blocked')) {
        expect({ id, status, ok: dependsOn.some((needed) => nodes.get(needed)!.status !== 'finished') }).toMatchObject({
          ok: true,
        })
      }
    }),
  )
})

test('waves are the earliest in which each node could run, and hold every node once', () => {
  fc.assert(
    fc.property(boards, (made) => {
      const waves = wavesOf(made)
      expect(waves.flat().toSorted()).toEqual(made.map(({ id }) => id).toSorted())
      const at = new Map(waves.flatMap((wave, index) => wave.map((id) => [id, index])))
      for (const { id, dependsOn } of made)
        expect(at.get(id)).toBe(Math.max(-1, ...dependsOn.map((needed) => at.get(needed)!)) + 1)
    }),
  )
})

test('a circle is found with its way, and only where there is one', () => {
  fc.assert(
    fc.property(boards, fc.nat(100), fc.nat(100), (made, from, to) => {
      expect(cycleIn(made)).toBeUndefined()
      if (made.length === 0) return
      const [early, late] = [from % made.length, to % made.length].toSorted((a, b) => a - b) as [number, number]
      const bent = made.map((one, at) => (at === early ? { ...one, dependsOn: [...one.dependsOn, `n${late}`] } : one))
      const way = cycleIn(bent)
      if (way === undefined) {
        expect(wavesOf(bent).flat()).toHaveLength(made.length)
        return
      }
      expect(way.at(0)).toBe(way.at(-1))
      for (const [at, id] of way.slice(0, -1).entries())
        expect(bent.find((one) => one.id === id)!.dependsOn).toContain(way[at + 1])
    }),
  )
})

test('a node begins when all that it depends on has finished, the older one first', () => {
  const nodes = [node('a', { status: 'finished' }), node('b', { dependsOn: ['a'] }), node('c', { dependsOn: ['b'] })]
  expect(readyNodes(nodes).map(({ id }) => id)).toEqual(['b'])
  expect(movesOn([node('a'), node('b'), node('c')], [], 2).assign).toEqual([
    { node: 'a', worker: 'worker-1', isNew: true },
    { node: 'b', worker: 'worker-2', isNew: true },
  ])
})

test('an idle worker is taken before one is made; one that is named by a node that could begin is kept for it', () => {
  const nodes = [node('a'), node('b', { worker: 'Ann' })]
  expect(movesOn(nodes, [worker('Ann'), worker('Old', true), worker('Ben')], 4).assign).toEqual([
    { node: 'a', worker: 'Ben', isNew: false },
    { node: 'b', worker: 'Ann', isNew: false },
  ])
})

test('a node whose worker is busy waits for that worker; one whose worker has left gets another', () => {
  const busy = node('a', { status: 'processing', worker: 'Ann', assigned: true })
  expect(movesOn([busy, node('b', { worker: 'Ann' })], [worker('Ann')], 4).assign).toEqual([])
  expect(movesOn([node('b', { worker: 'Ann' })], [worker('Ann', true)], 4).assign).toEqual([
    { node: 'b', worker: 'worker-1', isNew: true },
  ])
})

test('a worker that waits for its children leaves its place to them, but is not given another node', () => {
  const parent = node('a', { status: 'waiting', worker: 'Ann', assigned: true })
  expect(movesOn([parent, node('b', { parent: 'a' })], [worker('Ann')], 1).assign).toEqual([
    { node: 'b', worker: 'worker-1', isNew: true },
  ])
})

test('what depends on a failed node is blocked, to the end of the line, and is free again once it is tried again', () => {
  const line = (status: NodeStatus, behind: NodeStatus) => [
    node('a', { status, worker: 'Ann', assigned: true }),
    node('b', { status: behind, dependsOn: ['a'] }),
    node('c', { status: behind, dependsOn: ['b'] }),
  ]
  expect([...movesOn(line('failed', 'pending'), [worker('Ann')], 4).block]).toEqual([
    ['b', 'a'],
    ['c', 'b'],
  ])
  expect(movesOn(line('processing', 'blocked'), [worker('Ann')], 4).free).toEqual(['b', 'c'])
})

test('nodes below one that failed are called off, also those that began', () => {
  const nodes = [
    node('a', { status: 'failed', worker: 'Ann', assigned: true }),
    node('b', { status: 'processing', parent: 'a', worker: 'Ben', assigned: true }),
    node('c', { parent: 'b' }),
  ]
  expect([...movesOn(nodes, [worker('Ann'), worker('Ben')], 4).cancel]).toEqual([
    ['b', 'a'],
    ['c', 'b'],
  ])
})
