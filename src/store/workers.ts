import type { RunId, SessionId } from '../contract/ids.ts'
import type { RunRow, WorkerRow } from './run-tables.ts'
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

/** The sessions in a run: its coordinator, and the workers that have begun and have not left. */
export async function membersOf(db: Db, { id, session_id }: Pick<RunRow, 'id' | 'session_id'>): Promise<SessionId[]> {
  const workers = await workersOf(db, id)
  return [session_id, ...workers.flatMap((worker) => (worker.retired_at === null ? (worker.session_id ?? []) : []))]
}
