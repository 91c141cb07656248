import { handleEvent } from './event-handlers.ts'
import type { Event } from './events.ts'
import type { Board, Node, NodeStatus, Run, Stage, Worker, WorkerStatus } from './runs.ts'

/** A run's board before anything happened on it. What never changes of the run is as it is now. */
export function boardAtStart(run: Run): Board {
  const { reason: _, summary: __, endedAt: ___, stageId: ____, ...fixed } = run
  const spent = { costUsd: 0, coordinatorCostUsd: 0, unpricedTokens: 0 }
  const begun: Run = { ...fixed, ...spent, status: 'working', nodes: {}, workers: {}, updatedAt: run.createdAt }
  return { run: begun, stages: [], nodes: [], workers: [], edges: [] }
}

/** The events that change a board. */
export const boardEvents = [
  ...['run.titled', 'run.status', 'message.appended', 'model.settled', 'task.created'],
  ...['stage.started', 'stage.reconvened', 'stage.completed', 'worker.spawned', 'worker.retired'],
  ...['created', 'changed', 'assigned', 'started', 'waiting', 'finished', 'failed', 'canceled', 'blocked'].map(
    (what) => `node.${what}`,
  ),
  ...['node.reopened', 'node.retried', 'node.checkpointed', 'node.publishing', 'node.published'],
]

/** The board after one more event of its run. A client reads it once and folds every later event. */
export function foldBoard(board: Board, event: Event): Board {
  const { at } = event
  const next = handleEvent<Board>(
    {
      'run.created': ({ title }) => ({ ...board, run: { ...board.run, title } }),
      'run.titled': ({ title }) => ({ ...board, run: { ...board.run, title } }),
      'run.status': ({ to, reason, summary }) => {
        const { reason: _, summary: __, endedAt: ___, ...run } = board.run
        const said = { ...(reason && { reason }), ...(summary && { summary }) }
        return { ...board, run: { ...run, status: to, ...said, updatedAt: at, ...(over.has(to) && { endedAt: at }) } }
      },
      'message.appended': (data) => spent(board, event, data),
      'model.settled': (data) => spent(board, event, data),
      'stage.started': ({ nodes, ...stage }) => {
        const inside = new Set(nodes)
        const stages = [...board.stages, { id: stage.stageId, ...stageOf(stage), startedAt: at }]
        const joined = board.nodes.map((node) => (inside.has(node.id) ? { ...node, stageId: stage.stageId } : node))
        const run = { ...board.run, stageId: stage.stageId }
        return counted({ ...board, run, stages: stages.sort(byAge), nodes: joined })
      },
      'stage.reconvened': ({ stageId }) => onStage(board, stageId, { status: 'reconvening' }),
      'stage.completed': ({ stageId, assessment }) => {
        const { stageId: _, ...run } = board.run
        return onStage({ ...board, run }, stageId, {
          status: 'completed',
          endedAt: at,
          ...(assessment && { assessment }),
        })
      },
      'worker.spawned': ({ name, kind = 'harnessed', agent, model }) => {
        const worker: Worker = { name, kind, agent, ...(model && { model }), status: 'idle', costUsd: 0, createdAt: at }
        const workers = [...board.workers, worker].sort(byJoining)
        return counted({ ...board, workers })
      },
      'worker.retired': ({ name }) => onWorker(board, name, { status: 'retired' }),
      'task.created': ({ taskId }) => begun(board, event, taskId),
      ...nodeHandlers(board, at),
    },
    event,
  )
  return next ?? board
}

const over: ReadonlySet<string> = new Set(['finished', 'failed', 'stopped'])

const nodeHandlers = (board: Board, at: string): Parameters<typeof handleEvent<Board>>[0] => ({
  'node.created': ({ nodeId, ...more }) => {
    const node: Node = { id: nodeId, ...more, status: 'pending', costUsd: 0, createdAt: at, updatedAt: at }
    const nodes = [...board.nodes, node]
    return counted({ ...board, nodes, edges: [...board.edges, ...edgesTo(node)] })
  },
  'node.changed': ({ nodeId, worker, title, spec }) =>
    onNode(board, nodeId, (node) => {
      const changed = { ...node, ...(title && { title }), ...(spec && { spec }), updatedAt: at }
      if (worker === undefined) return changed
      const { worker: _, assignedAt: __, ...free } = changed
      return worker === null ? free : { ...free, worker }
    }),
  'node.assigned': ({ nodeId, worker }) =>
    onNode(board, nodeId, (node) => ({ ...node, worker, assignedAt: at, updatedAt: at })),
  'node.started': ({ nodeId }) =>
    onNode(board, nodeId, (node) => ({ ...open(node, 'processing', at), startedAt: node.startedAt ?? at })),
  'node.waiting': ({ nodeId, reason }) =>
    onNode(board, nodeId, (node) => ({ ...open(node, 'waiting', at), ...(reason && { reason }) })),
  'node.finished': ({ nodeId, summary }) =>
    onNode(board, nodeId, (node) =>
      ended(node, 'finished', at, { summary, ...(node.partial && { reason: node.reason }) }),
    ),
  'node.failed': ({ nodeId, ...said }) => onNode(board, nodeId, (node) => ended(node, 'failed', at, said)),
  'node.canceled': ({ nodeId, ...said }) => onNode(board, nodeId, (node) => ended(node, 'canceled', at, said)),
  'node.blocked': ({ nodeId, reason }) =>
    onNode(board, nodeId, (node) => ({ ...open(node, 'blocked', at), ...(reason && { reason }) })),
  'node.reopened': ({ nodeId }) => onNode(board, nodeId, (node) => open(node, 'pending', at)),
  'node.retried': ({ nodeId, reason }) =>
    onNode(board, nodeId, ({ taskId: _, startedAt: __, ...node }) => ({ ...open(node, 'pending', at), reason })),
  'node.publishing': ({ nodeId, summary, partial: reason }) =>
    onNode(board, nodeId, ({ reason: _, partial: __, ...node }) => ({
      ...node,
      ...(summary && { summary }),
      ...(reason !== undefined && { reason, partial: true as const }),
      updatedAt: at,
    })),
  'node.published': ({ nodeId, published }) => onNode(board, nodeId, (node) => ({ ...node, published, updatedAt: at })),
  'node.checkpointed': ({ nodeId, summary }) => onNode(board, nodeId, (node) => ({ ...node, summary, updatedAt: at })),
})

/**
 * A node that has no task is given to nobody once it is blocked, free again or called off. One that is pending has handed
 * over nothing.
 */
function open(node: Node, status: NodeStatus, at: string): Node {
  const { reason: _, finishedAt: __, assignedAt, partial, published, ...rest } = node
  const handed = status === 'pending' ? {} : { ...(partial && { partial }), ...(published && { published }) }
  return { ...rest, ...handed, status, ...(node.taskId && assignedAt && { assignedAt }), updatedAt: at }
}

function ended(
  node: Node,
  status: NodeStatus,
  at: string,
  { reason, summary }: { reason?: string | undefined; summary?: string | undefined },
): Node {
  return { ...open(node, status, at), ...(reason && { reason }), ...(summary && { summary }), finishedAt: at }
}

function onNode(board: Board, id: string, change: (node: Node) => Node): Board {
  const place = board.nodes.findIndex((node) => node.id === id)
  const before = board.nodes[place]
  if (before === undefined) return board
  const after = change(before)
  const concerned = new Set([before.worker, after.worker])
  const nodes = board.nodes.with(place, after)
  const workers = board.workers.map((worker) => (concerned.has(worker.name) ? atWork(worker, nodes) : worker))
  return counted({ ...board, nodes, workers })
}

/** What follows from how nodes and workers stand. */
function counted(board: Board): Board {
  const run = { ...board.run, nodes: byStatus<NodeStatus>(board.nodes), workers: byStatus<WorkerStatus>(board.workers) }
  return { ...board, run, stages: board.stages.map((stage) => inWork(stage, board.nodes)) }
}

/** How many there are of each status. */
export function byStatus<S extends string>(all: readonly { readonly status: S }[]): Partial<Record<S, number>> {
  const counts: Partial<Record<S, number>> = {}
  for (const { status } of all) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** A stage runs once one of its nodes has begun or ended. */
export function inWork(stage: Stage, nodes: readonly Node[]): Stage {
  if (stage.status !== 'running' && stage.status !== 'planning') return stage
  const unbegun = ({ status, startedAt }: Node) => (status === 'pending' || status === 'blocked') && !startedAt
  const own = nodes.filter(({ stageId }) => stageId === stage.id)
  return { ...stage, status: own.every(unbegun) ? 'planning' : 'running' }
}

/** The worker's task is there, in its session. */
function begun(board: Board, { at, nodeId, sessionId }: Event, taskId: string): Board {
  const node = board.nodes.find(({ id }) => id === nodeId)
  if (node?.worker === undefined) return board
  const bound = onNode(board, node.id, (same) => ({ ...same, taskId, updatedAt: at }))
  return sessionId === undefined ? bound : onWorker(bound, node.worker, { sessionId })
}

/** What members of the run spent themselves until its end; of tokens without a price nobody knows what they cost. */
function spent(board: Board, { at, sessionId, nodeId }: Event, { tokens, costUsd }: Used): Board {
  const { run } = board
  if (tokens === undefined || (run.endedAt !== undefined && at > run.endedAt)) return board
  const unpriced = costUsd === undefined ? tokens.input + tokens.output : 0
  const change = {
    costUsd: run.costUsd + (costUsd ?? 0),
    coordinatorCostUsd: run.coordinatorCostUsd + (sessionId === run.sessionId ? (costUsd ?? 0) : 0),
    unpricedTokens: run.unpricedTokens + unpriced,
  }
  const by = (isMeant: boolean): number => (isMeant ? (costUsd ?? 0) : 0)
  return {
    ...board,
    run: { ...run, ...change },
    ...(costUsd && {
      nodes: board.nodes.map((node) => ({ ...node, costUsd: node.costUsd + by(node.id === nodeId) })),
      workers: board.workers.map((worker) => ({ ...worker, costUsd: worker.costUsd + by(isOf(worker, sessionId)) })),
    }),
  }
}

const isOf = (worker: Worker, sessionId: string | undefined): boolean =>
  sessionId !== undefined && worker.sessionId === sessionId

interface Used {
  readonly tokens?: { readonly input: number; readonly output: number } | undefined
  readonly costUsd?: number | undefined
}

const onWorker = (board: Board, name: string, change: Partial<Worker>): Board =>
  counted({
    ...board,
    workers: board.workers.map((worker) =>
      worker.name === name ? atWork({ ...worker, ...change }, board.nodes) : worker,
    ),
  })

const onStage = (board: Board, id: string, change: Partial<Board['stages'][number]>): Board => ({
  ...board,
  stages: board.stages.map((stage) => (stage.id === id ? { ...stage, ...change } : stage)),
})

type StageStart = Pick<Board['stages'][number], 'name' | 'checkpointPolicy' | 'maxIterationsPerNode'>

const stageOf = ({ name, checkpointPolicy, maxIterationsPerNode }: StageStart) => ({
  name,
  status: 'running' as const,
  checkpointPolicy,
  ...(maxIterationsPerNode && { maxIterationsPerNode }),
})

/** What a worker does is the open node that has its name. */
export function atWork({ nodeId: _, ...worker }: Worker, nodes: readonly Node[]): Worker {
  const node = nodes.find((one) => one.worker === worker.name && isGiven(one))
  const now = worker.status === 'retired' ? 'retired' : node === undefined ? 'idle' : 'busy'
  const status = now === 'busy' && node!.status === 'waiting' ? 'waiting' : now
  return { ...worker, status, ...(node && { nodeId: node.id }) }
}

const isGiven = ({ status, assignedAt }: Node): boolean =>
  status === 'processing' || status === 'waiting' || (status === 'pending' && assignedAt !== undefined)

/** The lines of a board that lead to a node. */
export const edgesTo = ({ id: to, dependsOn, parentNodeId, refs = {} }: Node): Board['edges'] => [
  ...dependsOn.map((from) => ({ from, to, kind: 'depends' as const })),
  ...(parentNodeId === undefined ? [] : [{ from: parentNodeId, to, kind: 'parent' as const }]),
  ...[...new Set(Object.values(refs).flatMap((ref) => nodeOfRef(ref) ?? []))].map((from) => ({
    from,
    to,
    kind: 'ref' as const,
  })),
]

/** Whose result a ref means; undefined when it has not the form of one. */
export const nodeOfRef = (ref: string): string | undefined =>
  /^(?:nodes\/)?(node_[0-9a-z]+)(?:\/published(?:\/.+)?)?$/.exec(ref)?.[1]

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const byAge = (a: Board['stages'][number], b: Board['stages'][number]): number =>
  inOrder(a.startedAt, b.startedAt) || inOrder(a.id, b.id)

/** Those who joined in the same moment stand by name. */
export const byJoining = (a: Worker, b: Worker): number => inOrder(a.createdAt, b.createdAt) || inOrder(a.name, b.name)
