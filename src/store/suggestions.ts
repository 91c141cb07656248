import type { NodeId, RunId } from '../contract/ids.ts'
import type { SuggestionRow } from './run-tables.ts'
import type { Db } from './tables.ts'

/** False when this call has made it already. */
export async function insertSuggestion(db: Db, row: SuggestionRow): Promise<boolean> {
  const made = await db
    .insertInto('suggestions')
    .values(row)
    .onConflict((same) => same.columns(['node_id', 'call_id']).doNothing())
    .returning('call_id')
    .executeTakeFirst()
  return made !== undefined
}

export async function countSuggestions(db: Db, nodeId: NodeId): Promise<number> {
  const row = await db
    .selectFrom('suggestions')
    .select(db.fn.countAll().as('count'))
    .where('node_id', '=', nodeId)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** What the coordinator has not read yet, the oldest first. */
export async function untoldSuggestions(db: Db, runId: RunId): Promise<SuggestionRow[]> {
  return db
    .selectFrom('suggestions')
    .selectAll()
    .where('run_id', '=', runId)
    .where('told', '=', 0)
    .orderBy('created_at')
    .orderBy('call_id')
    .execute()
}

export async function markSuggestionsTold(db: Db, rows: readonly SuggestionRow[]): Promise<void> {
  await db
    .updateTable('suggestions')
    .set({ told: 1 })
    .where(
      'call_id',
      'in',
      rows.map(({ call_id }) => call_id),
    )
    .where(
      'node_id',
      'in',
      rows.map(({ node_id }) => node_id),
    )
    .execute()
}
