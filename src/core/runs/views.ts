import { atWork, byJoining, edgesTo, inWork } from '../../contract/fold-board.ts'
import type { NodeId, RunId } from '../../contract/ids.ts'
import type { Board, Node, Run, Worker } from '../../contract/runs.ts'
import { iso } from '../../lib/clock.ts'
import { depsOf, findNode, neededBy, nodesOf, toNode } from '../../store/nodes.ts'
import { costsOf, type MemberCosts } from '../../store/run-cost.ts'
import { findRun, type RunQuery, selectRuns, toRun } from '../../store/runs.ts'
import { stagesOf, toStage } from '../../store/stages.ts'
import type { Db, RunRow, WorkerRow } from '../../store/tables.ts'
import { workersOf } from '../../store/workers.ts'
import { noNode, noRun } from './state.ts'

export const getRun = async (db: Db, id: RunId): Promise<Run> => toRun(db, await mustFind(db, id))

async function mustFind(db: Db, id: RunId): Promise<RunRow> {
  const row = await findRun(db, id)
  if (row === undefined) throw noRun(id)
  return row
}

export async function listRuns(db: Db, query: RunQuery): Promise<{ items: Run[]; nextCursor?: string }> {
  const rows = await selectRuns(db, query)
  const items = await Promise.all(rows.map((row) => toRun(db, row)))
  const last = rows.at(-1)
  return rows.length === query.limit && last ? { items, nextCursor: `${last.created_at}.${last.id}` } : { items }
}

/** The whole run at a glance; long texts are cut. */
export async function boardOf(db: Db, id: RunId): Promise<Board> {
  const row = await mustFind(db, id)
  const rows = await nodesOf(db, id)
  const deps = await depsOf(db, id)
  const workers = await workersOf(db, id)
  const costs = await costsIn(db, row, workers)
  const nodes = rows.map((node) =>
    toNode(node, deps.get(node.id) ?? [], { costUsd: costs.ofNode.get(node.id) ?? 0, brief: true }),
  )
  return {
    run: await toRun(db, row),
    stages: (await stagesOf(db, id)).map((stage) => inWork(toStage(stage), nodes)),
    nodes,
    workers: workers.map((worker) => toWorker(worker, nodes, costs)).sort(byJoining),
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
  const costs = await costsIn(db, await mustFind(db, runId), await workersOf(db, runId))
  return toNode(
    row,
    needed.map((node) => node.id),
    { costUsd: costs.ofNode.get(id) ?? 0 },
  )
}

const costsIn = (db: Db, run: RunRow, workers: readonly WorkerRow[]): Promise<MemberCosts> =>
  costsOf(
    db,
    run,
    workers.flatMap(({ session_id }) => session_id ?? []),
  )

const toWorker = (worker: WorkerRow, nodes: readonly Node[], { ofSession }: MemberCosts): Worker =>
  atWork(
    {
      name: worker.name,
      kind: worker.kind,
      agent: worker.agent,
      ...(worker.model === null ? {} : { model: worker.model }),
      status: worker.retired_at === null ? 'idle' : 'retired',
      ...(worker.session_id === null ? {} : { sessionId: worker.session_id }),
      costUsd: ofSession.get(worker.session_id ?? '') ?? 0,
      createdAt: iso(worker.created_at),
    },
    nodes,
  )
