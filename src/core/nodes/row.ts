import type { NodeStatus, PublishedFile, WorkerStatus } from '../../contract/runs.ts'
import { shorten } from '../../lib/shorten.ts'
import {
  FILES_SHOWN,
  findNode,
  hasUntoldChildren,
  insertNode,
  onBoard,
  titleOf,
  updateEnded,
  updateNode,
  updateUnbegun,
} from '../../store/nodes.ts'
import type { NodeRow, TaskRow } from '../../store/tables.ts'
import { leaveRunErrand, type Tx } from '../base/index.ts'

/**
 * The owner of a node's state. Every change of it is written here, with its event, and leaves the errand by which the
 * run's board sees what follows.
 */

export async function addNode(tx: Tx, node: NodeRow, dependsOn: readonly string[]): Promise<void> {
  await insertNode(tx.db, node, dependsOn)
  tx.record('node.created', aboutNode(node), {
    nodeId: node.id,
    ...shown(tx, node.spec),
    dependsOn: [...dependsOn],
    ...(node.refs === '{}' ? {} : { refs: JSON.parse(node.refs) }),
    ...(node.single === 1 && { single: true as const }),
    ...(node.parent_node_id === null ? {} : { parentNodeId: node.parent_node_id }),
    ...(node.stage_id === null ? {} : { stageId: node.stage_id }),
    ...(node.worker === null ? {} : { worker: node.worker }),
  })
  await leaveRunErrand(tx, 'board', node.run_id)
}

/** A spec as boards show it: whoever folds events sees what is read from rows. */
const shown = (tx: Tx, text: string) => {
  const spec = tx.mask(text)
  return { title: titleOf({ spec }), spec: onBoard(spec) }
}

/** A node that has not begun gets another spec or another worker, null for anybody. False when it has begun meanwhile. */
export async function changeNode(
  tx: Tx,
  node: NodeRow,
  { spec, worker }: { readonly spec?: string | undefined; readonly worker?: string | null | undefined },
): Promise<boolean> {
  const change = {
    ...(spec === undefined ? {} : { spec }),
    // The board gives it to somebody anew.
    ...(worker === undefined ? {} : { worker, assigned_at: null }),
    updated_at: tx.now,
  }
  if (!(await updateUnbegun(tx.db, node.id, change))) return false
  tx.record('node.changed', aboutNode(node), {
    nodeId: node.id,
    ...(spec === undefined ? {} : shown(tx, spec)),
    ...(worker === undefined ? {} : { worker }),
  })
  if (worker !== undefined) tellWorker(tx, node, { assigned_at: null })
  await leaveRunErrand(tx, 'board', node.run_id)
  return true
}

/** A node that ended without a result is to be done once more, by the same worker. False when it is open meanwhile. */
export async function retryNode(tx: Tx, node: NodeRow): Promise<boolean> {
  const reason = onBoard(`It was ${node.status} before${node.reason ? `: ${node.reason}` : '.'}`)
  const fresh = {
    task_id: null,
    assigned_at: null,
    checkpointed_at: null,
    started_at: null,
    finished_at: null,
    ...unpublished,
  }
  const change = { status: 'pending', reason, told: 0, ...fresh, updated_at: tx.now } as const
  if (!(await updateEnded(tx.db, node, change))) return false
  tx.record('node.retried', aboutNode(node), { nodeId: node.id, reason })
  await leaveRunErrand(tx, 'board', node.run_id)
  return true
}

/** The board gives a node to a worker, who begins as soon as it can. */
export async function assignNode(tx: Tx, node: NodeRow, worker: string): Promise<void> {
  if (!(await updateUnbegun(tx.db, node.id, { worker, assigned_at: tx.now, updated_at: tx.now }))) return
  tx.record('node.assigned', aboutNode(node), { nodeId: node.id, worker })
  tellWorker(tx, { ...node, worker }, { assigned_at: tx.now })
  await leaveRunErrand(tx, 'begin', node.id)
}

/** A node that has not begun is blocked, free again, called off, or cannot be begun. False when it has begun meanwhile. */
export async function moveUnbegun(
  tx: Tx,
  node: NodeRow,
  status: 'pending' | 'blocked' | 'canceled' | 'failed',
  reason = '',
  { told = 0 } = {},
): Promise<boolean> {
  const change = {
    status,
    reason: status === 'pending' ? null : reason,
    assigned_at: null,
    told,
    finished_at: status === 'canceled' || status === 'failed' ? tx.now : null,
    updated_at: tx.now,
  }
  if (!(await updateUnbegun(tx.db, node.id, change))) return false
  if (status === 'pending') tx.record('node.reopened', aboutNode(node), { nodeId: node.id })
  else tx.record(`node.${status}`, aboutNode(node), { nodeId: node.id, reason: onBoard(tx.mask(reason)) })
  tellWorker(tx, node, change)
  await leaveRunErrand(tx, 'board', node.run_id)
  return true
}

/** Somebody called off a node that is worked on. Its worker stops by itself; the node says then why. */
export const nodeStops = (tx: Tx, { id }: NodeRow, reason: string): Promise<void> =>
  updateNode(tx.db, id, { stop_reason: tx.mask(reason) })

/** The worker's task is there: from now on the node follows it. False when it was called off or begun meanwhile. */
export const bindNode = (tx: Tx, node: NodeRow, taskId: string): Promise<boolean> =>
  updateUnbegun(tx.db, node.id, { task_id: taskId, updated_at: tx.now })

/** How a task stands now, and its last words once it has ended. */
interface Now {
  readonly status: Exclude<NodeStatus, 'blocked'>
  readonly reason?: string
  readonly output?: string | null
}

const SUMMARY_CHARS = 2000

/** The node of a task has the task's status, from the same transaction on. Of an earlier task of the node it hears nothing. */
export async function nodeFollows(tx: Tx, task: TaskRow, { status, reason = '', output = null }: Now): Promise<void> {
  if (task.node_id === null) return
  const node = await findNode(tx.db, task.node_id)
  if (node === undefined || node.task_id !== task.id || node.status === status) return
  const over = status === 'finished' || status === 'failed' || status === 'canceled'
  // What it was published with is its summary.
  const words = node.published_at === null ? output : node.summary
  const summary = words === null ? undefined : shorten(tx.mask(words), SUMMARY_CHARS)
  const cause = status === 'canceled' ? (node.stop_reason ?? reason) : reason
  await updateNode(tx.db, node.id, {
    status,
    reason: reasonOf(node, status, cause),
    summary: summary ?? node.summary,
    ...(status === 'pending' && unpublished),
    told: 0,
    started_at: status === 'processing' ? (node.started_at ?? tx.now) : node.started_at,
    finished_at: over ? tx.now : null,
    updated_at: tx.now,
  })
  const about = aboutNode(node)
  const said = summary === undefined ? {} : { summary: onBoard(summary) }
  const why = onBoard(tx.mask(cause))
  if (status === 'processing') tx.record('node.started', about, { nodeId: node.id })
  else if (status === 'finished') tx.record('node.finished', about, { nodeId: node.id, ...said })
  else if (status === 'pending') tx.record('node.reopened', about, { nodeId: node.id })
  else if (status === 'waiting') tx.record('node.waiting', about, { nodeId: node.id, reason: why })
  else tx.record(`node.${status}`, about, { nodeId: node.id, reason: why, ...said })
  tellWorker(tx, node, { status })
  await leaveRunErrand(tx, 'board', node.run_id)
}

function reasonOf({ partial, reason: why }: NodeRow, status: NodeStatus, reason: string): string | null {
  if (status === 'finished') return partial === 1 ? why : null
  return status === 'processing' || status === 'pending' ? null : reason
}

/** A node that is tried again has handed over nothing yet. */
const unpublished = {
  publishing_at: null,
  published_at: null,
  partial: 0,
  reminded: 0,
  files: '[]',
  stop_reason: null,
} as const

/** How a worker hands its node over. */
export interface Handover {
  readonly summary: string
  /** Why it is not all that was wanted. */
  readonly partial?: string | undefined
}

/** From now on nothing of the node changes any more, and what is handed over is found from this row. */
export async function beginPublishing(tx: Tx, node: NodeRow, { summary, partial }: Handover): Promise<void> {
  await updateNode(tx.db, node.id, {
    publishing_at: tx.now,
    summary: summary === '' ? node.summary : shorten(tx.mask(summary), SUMMARY_CHARS),
    partial: partial === undefined ? 0 : 1,
    reason: partial ?? null,
    updated_at: tx.now,
  })
  tx.record('node.publishing', aboutNode(node), {
    nodeId: node.id,
    ...(summary === '' ? {} : { summary: onBoard(shorten(tx.mask(summary), SUMMARY_CHARS)) }),
    ...(partial === undefined ? {} : { partial: onBoard(tx.mask(partial)) }),
  })
}

/** What the node hands over lies sealed in its folder. It is finished with its worker's turn. */
export async function nodePublished(tx: Tx, node: NodeRow, files: readonly PublishedFile[]): Promise<void> {
  await updateNode(tx.db, node.id, { published_at: tx.now, files: JSON.stringify(files), updated_at: tx.now })
  tx.record('node.published', aboutNode(node), {
    nodeId: node.id,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    published: files.slice(0, FILES_SHOWN),
    ...(node.partial === 1 && { partial: true }),
  })
  await leaveRunErrand(tx, 'files', node.run_id)
}

export const remindOfNode = (tx: Tx, node: NodeRow): Promise<void> => updateNode(tx.db, node.id, { reminded: 1 })

/** The worker records how far its node is. */
export async function checkpointNode(tx: Tx, node: NodeRow, summary: string): Promise<void> {
  const short = shorten(tx.mask(summary), SUMMARY_CHARS)
  await updateNode(tx.db, node.id, { checkpointed_at: tx.now, summary: short, updated_at: tx.now })
  tx.record('node.checkpointed', aboutNode(node), { nodeId: node.id, summary: onBoard(short) })
  await leaveRunErrand(tx, 'board', node.run_id)
}

/** Whether nodes that this task's worker made are still to be done, or to be told of: the task does not end before that. */
export const hasOpenChildren = async (tx: Tx, { node_id }: TaskRow): Promise<boolean> =>
  node_id !== null && hasUntoldChildren(tx.db, node_id)

/** What is published stands, however the turn of its worker ends. */
export const isPublished = async (tx: Tx, { node_id }: Pick<TaskRow, 'node_id'>): Promise<boolean> => {
  const node = node_id === null ? undefined : await findNode(tx.db, node_id)
  return node !== undefined && node.published_at !== null
}

/** What a node means for its worker, who has one at a time. */
function workOn({ status, assigned_at }: Pick<NodeRow, 'status' | 'assigned_at'>): WorkerStatus {
  if (status === 'waiting') return 'waiting'
  return status === 'processing' || (status === 'pending' && assigned_at !== null) ? 'busy' : 'idle'
}

function tellWorker(tx: Tx, node: NodeRow, change: Partial<NodeRow>): void {
  const [from, to] = [workOn(node), workOn({ ...node, ...change })]
  if (node.worker === null || from === to) return
  tx.record('worker.status', aboutNode(node), { name: node.worker, from, to, nodeId: node.id })
}

const aboutNode = ({ project_id, run_id, id }: NodeRow) => ({ project: project_id, runId: run_id, nodeId: id })
