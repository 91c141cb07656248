import type { NodeId, RunId, StageId } from '../contract/ids.ts'
import type { Stage } from '../contract/runs.ts'
import { iso } from '../lib/clock.ts'
import type { NodeRow, StageRow } from './run-tables.ts'
import type { Db } from './tables.ts'

export async function insertStage(db: Db, row: StageRow, nodes: readonly NodeId[]): Promise<void> {
  await db.insertInto('stages').values(row).execute()
  await db
    .updateTable('nodes')
    .set({ stage_id: row.id })
    .where('id', 'in', [...nodes])
    .execute()
}

export async function findStage(db: Db, id: StageId): Promise<StageRow | undefined> {
  return db.selectFrom('stages').selectAll().where('id', '=', id).executeTakeFirst()
}

/** In the order in which they were started. */
export async function stagesOf(db: Db, runId: RunId): Promise<StageRow[]> {
  return db.selectFrom('stages').selectAll().where('run_id', '=', runId).orderBy('created_at').orderBy('id').execute()
}

/** The one that is not completed; there is one at a time. */
export async function openStageOf(db: Db, runId: RunId): Promise<StageId | undefined> {
  const open = db.selectFrom('stages').select('id').where('run_id', '=', runId).where('status', '<>', 'completed')
  return (await open.executeTakeFirst())?.id
}

/** Moves a stage on, unless somebody else has. */
export async function moveStage(
  db: Db,
  { id, status, told }: Pick<StageRow, 'id' | 'status' | 'told'>,
  change: Partial<StageRow>,
): Promise<boolean> {
  const row = await db
    .updateTable('stages')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', status)
    .where('told', '=', told)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function nodesInStage(db: Db, id: StageId): Promise<NodeRow[]> {
  return db.selectFrom('nodes').selectAll().where('stage_id', '=', id).orderBy('number').execute()
}

export const toStage = (row: StageRow): Stage => ({
  id: row.id,
  name: row.name,
  status: row.status,
  checkpointPolicy: row.policy,
  ...(row.max_iterations === null ? {} : { maxIterationsPerNode: row.max_iterations }),
  ...(row.assessment === null ? {} : { assessment: row.assessment }),
  startedAt: iso(row.created_at),
  ...(row.ended_at === null ? {} : { endedAt: iso(row.ended_at) }),
})
