import { AppError } from '../../contract/errors.ts'
import type { NodeId, RunId } from '../../contract/ids.ts'
import type { Board, Node, Run, Worker, WorkerStatus } from '../../contract/runs.ts'
import { iso } from '../../lib/clock.ts'
import { depsOf, findNode, neededBy, nodesOf, toNode } from '../../store/nodes.ts'
import { findRun, type RunQuery, selectRuns, toRun } from '../../store/runs.ts'
import { stagesOf, toStage } from '../../store/stages.ts'
import type { Db, NodeRow, WorkerRow } from '../../store/tables.ts'
import { workersOf } from '../../store/workers.ts'
import { nodeOfRef } from './refs.ts'
import { noRun } from './run.ts'

export async function getRun(db: Db, id: RunId): Promise<Run> {
  const row = await findRun(db, id)
  if (row === undefined) throw noRun(id)
  return toRun(db, row)
}

export async function listRuns(db: Db, query: RunQuery): Promise<{ items: Run[]; nextCursor?: string }> {
  const rows = await selectRuns(db, query)
  const items = await Promise.all(rows.map((row) => toRun(db, row)))
  const last = rows.at(-1)
  return rows.length === query.limit && last ? { items, nextCursor: `${last.created_at}.${last.id}` } : { items }
}

/** The whole run at a glance; long texts are cut. */
export async function boardOf(db: Db, id: RunId): Promise<Board> {
  const run = await getRun(db, id)
  const rows = await nodesOf(db, id)
  const deps = await depsOf(db, id)
  const nodes = rows.map((row) => toNode(row, deps.get(row.id) ?? [], { brief: true }))
  return {
    run,
    stages: (await stagesOf(db, id)).map(toStage),
    nodes,
    workers: (await workersOf(db, id)).map((worker) => toWorker(worker, rows)),
    edges: nodes.flatMap(({ id: to, dependsOn, parentNodeId, refs = {} }) => [
      ...dependsOn.map((from) => ({ from, to, kind: 'depends' as const })),
      ...(parentNodeId === undefined ? [] : [{ from: parentNodeId, to, kind: 'parent' as const }]),
      ...new Set(Object.values(refs).flatMap((ref) => nodeOfRef(ref) ?? []))
        .values()
        .map((from) => ({ from, to, kind: 'ref' as const })),
    ]),
  }
}

export async function getNode(db: Db, runId: RunId, id: NodeId): Promise<Node> {
  const row = await findNode(db, id)
  if (row?.run_id !== runId) {
    throw new AppError('node.not_found', `The run ${runId.slice(0, 80)} has no node "${id.slice(0, 80)}".`, {
      hint: 'Its board lists the nodes with their ids.',
    })
  }
  const needed = await neededBy(db, id)
  return toNode(
    row,
    needed.map((node) => node.id),
  )
}

/** What a worker does is the open node that has its name. */
function toWorker(worker: WorkerRow, nodes: readonly NodeRow[]): Worker {
  const node = nodes.find((one) => one.worker === worker.name && isGiven(one))
  return {
    name: worker.name,
    agent: worker.agent,
    ...(worker.model === null ? {} : { model: worker.model }),
    status: statusOf(worker, node),
    ...(worker.session_id === null ? {} : { sessionId: worker.session_id }),
    ...(node === undefined ? {} : { nodeId: node.id }),
    createdAt: iso(worker.created_at),
  }
}

const isGiven = ({ status, assigned_at }: NodeRow): boolean =>
  status === 'processing' || status === 'waiting' || (status === 'pending' && assigned_at !== null)

function statusOf({ retired_at }: WorkerRow, node: NodeRow | undefined): WorkerStatus {
  if (retired_at !== null) return 'retired'
  if (node === undefined) return 'idle'
  return node.status === 'waiting' ? 'waiting' : 'busy'
}
