import { AppError } from '../../contract/errors.ts'
import type { NodeId, RunId, SessionId } from '../../contract/ids.ts'
import type { ChangeNode } from '../../contract/runs.ts'
import { findNode, nodesOf, titleOf } from '../../store/nodes.ts'
import type { NodeRow, RunRow } from '../../store/tables.ts'
import { findWorker, workersOf } from '../../store/workers.ts'
import { type Core, leaveErrand, type Tx, transact } from '../base/index.ts'
import { changeNode, moveUnbegun, nodeStops, retryNode } from '../nodes/index.ts'
import { checkWorker, lineage, memberOf } from './make-node.ts'
import { lockOpen, noNode } from './state.ts'

/** Who does something to a node: the coordinator by a call of its session, or a person. */
type NodeChanger = { readonly sessionId: SessionId } | { readonly runId: RunId }

/** Calls a node off. One that is worked on is stopped at its next safe point. */
export const cancelNode = (core: Core, by: NodeChanger, id: NodeId, reason: string): Promise<NodeRow> =>
  transact(core, 'node.cancel', async (tx) => {
    const { run, node } = await nodeOf(tx, by, id)
    if (node.status === 'canceled') return node
    if (node.status === 'finished' || node.status === 'failed') throw isNow(node, 'there is nothing to cancel')
    // The coordinator need not be told of what it did itself.
    const told = 'sessionId' in by && node.parent_node_id === null ? 1 : 0
    if (!(await moveUnbegun(tx, node, 'canceled', reason, { told }))) await stopTask(tx, run, id, reason)
    return (await findNode(tx.db, id))!
  })

/** The node follows its task, which ends in its worker's session. */
async function stopTask(tx: Tx, run: RunRow, id: NodeId, reason: string): Promise<void> {
  const node = (await findNode(tx.db, id))!
  const { worker, task_id } = node
  const session = worker === null ? undefined : (await findWorker(tx.db, run.id, worker))?.session_id
  if (!session || !task_id) return
  await nodeStops(tx, node, reason)
  await leaveErrand(tx, { kind: 'cancel', ref: task_id, sessionId: session })
}

/** Before a node has begun, it gets another spec or another worker. */
export const editNode = (core: Core, by: NodeChanger, id: NodeId, change: ChangeNode): Promise<NodeRow> =>
  transact(core, 'node.change', async (tx) => {
    const { run, node } = await nodeOf(tx, by, id)
    const above = lineage(await nodesOf(tx.db, run.id), node.parent_node_id)
    checkWorker(await workersOf(tx.db, run.id), above, change.worker ?? undefined)
    if (!(await changeNode(tx, node, change)))
      throw isNow((await findNode(tx.db, id))!, 'it cannot be changed any more')
    return (await findNode(tx.db, id))!
  })

/** A node that failed or was canceled is done once more, by its worker if that one is still there. */
export const redoNode = (core: Core, by: NodeChanger, id: NodeId): Promise<NodeRow> =>
  transact(core, 'node.retry', async (tx) => {
    // Looked at before the run is locked: what ends just now is tried again only by whoever has seen its end.
    const seen = await findNode(tx.db, id)
    const { node } = await nodeOf(tx, by, id)
    const parent = node.parent_node_id === null ? undefined : await findNode(tx.db, node.parent_node_id)
    if (parent !== undefined && parent.status !== 'processing' && parent.status !== 'waiting') {
      throw new AppError('node.state', `The node above it, "${titleOf(parent)}", is ${parent.status}.`, {
        hint: 'Have that one tried again.',
      })
    }
    const ended = seen?.status === 'failed' || seen?.status === 'canceled'
    if (!ended || !(await retryNode(tx, seen))) throw isNow(node, 'only what failed or was canceled is tried again')
    return (await findNode(tx.db, id))!
  })

async function nodeOf(tx: Tx, by: NodeChanger, id: NodeId): Promise<{ run: RunRow; node: NodeRow }> {
  const run = 'sessionId' in by ? (await memberOf(tx, by.sessionId)).run : await lockOpen(tx, by.runId)
  const node = await findNode(tx.db, id)
  if (node?.run_id !== run.id) throw noNode(run.id, id)
  return { run, node }
}

const isNow = (node: NodeRow, so: string): AppError =>
  new AppError('node.state', `The node "${titleOf(node)}" is ${node.status}: ${so}.`, {
    hint:
      node.status === 'processing' || node.status === 'waiting' || node.status === 'pending'
        ? `Write to ${node.worker ?? 'its worker'}, or cancel it.`
        : 'Make another node that does what is missing.',
  })
