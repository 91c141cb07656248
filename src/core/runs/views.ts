import { atWork, byJoining, edgesTo } from '../../contract/fold-board.ts'
import type { NodeId, RunId } from '../../contract/ids.ts'
import type { Board, Node, Run, Worker } from '../../contract/runs.ts'
import { iso } from '../../lib/clock.ts'
import { depsOf, findNode, neededBy, nodesOf, toNode } from '../../store/nodes.ts'
import { findRun, type RunQuery, selectRuns, toRun } from '../../store/runs.ts'
import { stagesOf, toStage } from '../../store/stages.ts'
import type { Db, WorkerRow } from '../../store/tables.ts'
import { workersOf } from '../../store/workers.ts'
import { noNode, noRun } from './state.ts'

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
    workers: (await workersOf(db, id)).map((worker) => toWorker(worker, nodes)).sort(byJoining),
    edges: nodes.flatMap(edgesTo),
  }
}

/** The workers of a run, those who joined first at the top. */
export const listWorkers = async (db: Db, id: RunId): Promise<{ items: Worker[] }> => ({
  items: (await boardOf(db, id)).workers,
})

export async function getNode(db: Db, runId: RunId, id: NodeId): Promise<Node> {
  const row = await findNode(db, id)
  if (row?.run_id !== runId) throw noNode(runId, id)
  const needed = await neededBy(db, id)
  return toNode(
    row,
    needed.map((node) => node.id),
  )
}

const toWorker = (worker: WorkerRow, nodes: readonly Node[]): Worker =>
  atWork(
    {
      name: worker.name,
      agent: worker.agent,
      ...(worker.model === null ? {} : { model: worker.model }),
      status: worker.retired_at === null ? 'idle' : 'retired',
      ...(worker.session_id === null ? {} : { sessionId: worker.session_id }),
      createdAt: iso(worker.created_at),
    },
    nodes,
  )
