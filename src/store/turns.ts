import { sql } from 'kysely'
import type { SessionId, TurnId } from '../contract/ids.ts'
import { prepared } from './drivers/prepared.ts'
import { nothingSpent, nothingUsed } from './request-tables.ts'
import { sound } from './sums.ts'
import type { Db, TurnRow } from './tables.ts'

export async function insertTurn(db: Db, id: TurnId, sessionId: SessionId, at: number): Promise<TurnRow> {
  const row: TurnRow = {
    id,
    session_id: sessionId,
    started_at: at,
    ended_at: null,
    ended_as: null,
    reason: null,
    chain_id: null,
    hops: 0,
    cause: null,
    iterations: 0,
    waiting_since: null,
    waited_ms: 0,
    budget_id: null,
    budget_since: null,
    budget_needs: null,
    ...nothingUsed,
    ...nothingSpent,
  }
  await insertRow(db, row)
  return row
}

const insertRow = prepared((db, row: TurnRow) => db.insertInto('turns').values(row))

export async function findTurn(db: Db, id: TurnId): Promise<TurnRow | undefined> {
  return (await selectById(db, id))[0]
}

const selectById = prepared((db, id: TurnId) => db.selectFrom('turns').selectAll().where('id', '=', id))

/** Leaves out columns that never change: setting an indexed column writes its index, even to the same value. */
export async function updateTurn(db: Db, { id, session_id: _, started_at: __, ...row }: TurnRow): Promise<void> {
  await updateRow(db, id, row)
}

const updateRow = prepared((db, id: TurnId, row: Omit<TurnRow, 'id' | 'session_id' | 'started_at'>) =>
  db.updateTable('turns').set(row).where('id', '=', id),
)

/**
 * How long the turns of a session took that began since then and have ended, without the time they waited for people and
 * their own tasks, and how many model calls they made.
 */
export async function workSince(
  db: Db,
  sessionId: SessionId,
  since: number,
): Promise<{ workedMs: number; iterations: number }> {
  const row = await db
    .selectFrom('turns')
    .select(sql<number | null>`sum(${sound('ended_at')} - ${sound('started_at')} - ${sound('waited_ms')})`.as('ms'))
    .select(sql<number | null>`sum(${sound('iterations')})`.as('iterations'))
    .where('session_id', '=', sessionId)
    .where('started_at', '>=', since)
    .where('ended_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return { workedMs: Number(row.ms ?? 0), iterations: Number(row.iterations ?? 0) }
}

export async function latestTurn(db: Db, sessionId: SessionId): Promise<TurnRow | undefined> {
  return db
    .selectFrom('turns')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}
