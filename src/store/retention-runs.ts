import { sql } from 'kysely'
import type { RunId } from '../contract/ids.ts'
import { isPostgres } from './drivers/dialect.ts'
import { atMost } from './drivers/limit.ts'
import type { Db, RunRow } from './tables.ts'

/** Queries by which old runs leave the database. */

/** Nobody works for it any more: its workers are closed, and what they did has ended. */
const isOver = sql<boolean>`ended_at is not null
  and not exists (select 1 from tasks, nodes where tasks.node_id = nodes.id and nodes.run_id = runs.id
    and tasks.status in ('pending', 'processing', 'waiting'))`

/** Runs that ended before then, the oldest first. */
export async function endedRuns(db: Db, before: number, limit: number): Promise<RunRow[]> {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('ended_at', '<', before)
    .where(isOver)
    .orderBy('ended_at')
    .limit(atMost(limit))
    .execute()
}

/** What stands on a board, in the order in which it can be removed. */
export const boardTables = ['suggestions', 'node_deps', 'nodes', 'stages', 'workers'] as const

export async function rowsOfRun(db: Db, table: (typeof boardTables)[number], id: RunId): Promise<object[]> {
  return (await sql<object>`select * from ${sql.table(table)} where run_id = ${id}`.execute(db)).rows
}

/** How many runs were there to be removed: one, or none where another process was first. */
export async function removeRun(db: Db, id: RunId): Promise<number> {
  const row = db.selectFrom('runs').select('id').where('id', '=', id).where(isOver)
  if ((await (isPostgres(db) ? row.forUpdate() : row).executeTakeFirst()) === undefined) return 0
  for (const table of boardTables) await db.deleteFrom(table).where('run_id', '=', id).execute()
  await db.deleteFrom('runs').where('id', '=', id).execute()
  return 1
}
