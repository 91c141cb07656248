import type { NodeStatus } from '../../contract/runs.ts'

/** A node as far as the board is concerned. */
export interface BoardNode {
  readonly id: string
  readonly status: NodeStatus
  readonly dependsOn: readonly string[]
  readonly parent: string | null
  readonly worker: string | null
  /** The board gave it to its worker already. */
  readonly assigned: boolean
}

interface BoardWorker {
  readonly name: string
  readonly retired: boolean
}

/** What follows from how things stand. Nodes that began are never touched. */
export interface Moves {
  /** Each with the node because of which it cannot be done. */
  readonly block: ReadonlyMap<string, string>
  readonly free: readonly string[]
  /** Each with the node above it that ended without a result; those that began are stopped by their worker. */
  readonly cancel: ReadonlyMap<string, string>
  readonly assign: readonly { readonly node: string; readonly worker: string; readonly isNew: boolean }[]
}

const isOpen = ({ status }: BoardNode): boolean => ['pending', 'processing', 'waiting'].includes(status)
const endedBadly = (status: NodeStatus | undefined): boolean => status === 'failed' || status === 'canceled'

/** The nodes in the order in which they were made; so many are worked on at once. */
export function movesOn(nodes: readonly BoardNode[], workers: readonly BoardWorker[], limit: number): Moves {
  const status = new Map(nodes.map((node) => [node.id, node.status]))
  const cancel = new Map<string, string>()
  // One pass is enough: a node comes behind the one above it and behind those that it depends on.
  for (const { id, parent } of nodes.filter((node) => isOpen(node) || node.status === 'blocked')) {
    if (parent === null || !endedBadly(status.get(parent))) continue
    cancel.set(id, parent)
    status.set(id, 'canceled')
  }
  const block = new Map<string, string>()
  const free: string[] = []
  for (const node of nodes.filter(isUnbegun)) {
    if (cancel.has(node.id)) continue
    const hindered = node.dependsOn.find((id) => endedBadly(status.get(id)) || status.get(id) === 'blocked')
    status.set(node.id, hindered === undefined ? 'pending' : 'blocked')
    if (hindered !== undefined && node.status !== 'blocked') block.set(node.id, hindered)
    if (hindered === undefined && node.status === 'blocked') free.push(node.id)
  }
  const now = nodes.map((node) => ({ ...node, status: status.get(node.id)! }))
  return { block, free, cancel, assign: assignments(now, workers, limit) }
}

const isUnbegun = ({ status, assigned }: BoardNode): boolean =>
  (status === 'pending' && !assigned) || status === 'blocked'

/** Nodes that wait for nothing but a worker. */
export function readyNodes(nodes: readonly BoardNode[]): BoardNode[] {
  const finished = new Set(nodes.filter(({ status }) => status === 'finished').map(({ id }) => id))
  return nodes.filter(
    (node) => node.status === 'pending' && !node.assigned && node.dependsOn.every((id) => finished.has(id)),
  )
}

function assignments(nodes: readonly BoardNode[], workers: readonly BoardWorker[], limit: number): Moves['assign'] {
  const given = nodes.filter((node) => isOpen(node) && (node.assigned || node.status !== 'pending'))
  const busy = new Set(given.flatMap(({ worker }) => worker ?? []))
  const ready = readyNodes(nodes)
  // Who is named by a node that could begin is kept for it.
  const named = new Set(ready.flatMap(({ worker }) => worker ?? []))
  const known = new Map(workers.map((worker) => [worker.name, worker]))
  const made: { node: string; worker: string; isNew: boolean }[] = []
  // Who waits holds no place: its children need one.
  let places = limit - given.filter(({ status }) => status !== 'waiting').length
  for (const { id, worker } of ready) {
    if (places <= 0) break
    const gone = worker !== null && known.get(worker)?.retired
    const name =
      worker !== null && !gone
        ? worker
        : (workers.find((one) => !one.retired && !busy.has(one.name) && !named.has(one.name))?.name ??
          freshName(new Set([...known.keys(), ...busy, ...named])))
    if (busy.has(name)) continue
    busy.add(name)
    made.push({ node: id, worker: name, isNew: !known.has(name) })
    places -= 1
  }
  return made
}

function freshName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) if (!taken.has(`worker-${number}`)) return `worker-${number}`
}

type Dependent = Pick<BoardNode, 'id' | 'dependsOn'>

/** A way through what nodes depend on that leads back to its beginning; undefined where there is none. */
export function cycleIn(nodes: readonly Dependent[]): string[] | undefined {
  const left = new Map(nodes.map(({ id, dependsOn }) => [id, dependsOn]))
  const path: string[] = []
  const walk = (id: string): string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id]
    const next = left.get(id)
    if (next === undefined) return undefined
    path.push(id)
    for (const needed of next) {
      const found = walk(needed)
      if (found !== undefined) return found
    }
    path.pop()
    // Whatever is reachable from here leads to no circle.
    left.delete(id)
    return undefined
  }
  for (const { id } of nodes) {
    const found = walk(id)
    if (found !== undefined) return found
  }
  return undefined
}

/** Which nodes could run side by side, one group after the other, if all went well and there were workers enough. */
export function wavesOf(nodes: readonly Dependent[]): string[][] {
  const waves: string[][] = []
  let left = [...nodes]
  while (left.length > 0) {
    const waiting = new Set(left.map(({ id }) => id))
    const wave = left.filter(({ dependsOn }) => !dependsOn.some((id) => waiting.has(id)))
    if (wave.length === 0) return waves
    waves.push(wave.map(({ id }) => id))
    left = left.filter((node) => !wave.includes(node))
  }
  return waves
}
