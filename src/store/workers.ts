import type { RunId } from '../contract/ids.ts'
import type { WorkerRow } from './run-tables.ts'
import type { Db } from './tables.ts'

export async function insertWorker(db: Db, row: WorkerRow): Promise<void> {
  await db.insertInto('workers').values(row).execute()
}

/** The workers of a run, the oldest first. */
export async function workersOf(db: Db, runId: RunId): Promise<WorkerRow[]> {
  return db
    .selectFrom('workers')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('created_at')
    .orderBy('name')
    .execute()
}

export async function findWorker(db: Db, runId: RunId, name: string): Promise<WorkerRow | undefined> {
  return db.selectFrom('workers').selectAll().where('run_id', '=', runId).where('name', '=', name).executeTakeFirst()
}

export async function updateWorker(
  db: Db,
  { run_id, name }: Pick<WorkerRow, 'run_id' | 'name'>,
  change: Partial<WorkerRow>,
): Promise<void> {
  await db.updateTable('workers').set(change).where('run_id', '=', run_id).where('name', '=', name).execute()
}
