import { sql } from 'kysely'
import type { InboxId, SessionId } from '../contract/ids.ts'
import { isPostgres } from './drivers/dialect.ts'
import { readJson } from './drivers/unreadable.ts'
import { soundSum } from './sums.ts'
import type { BudgetRow, Db, ReservationRow, TurnRow } from './tables.ts'

/** Locks the rows in the order of their ids until the transaction ends; on SQLite the transaction itself is the lock. */
export async function lockBudgets(db: Db, ids: readonly string[]): Promise<BudgetRow[]> {
  if (ids.length === 0) return []
  const rows = db
    .selectFrom('budgets')
    .selectAll()
    .where('id', 'in', [...ids])
    .orderBy('id')
  return (isPostgres(db) ? rows.forUpdate() : rows).execute()
}

export async function selectBudgets(db: Db, ids: readonly string[]): Promise<BudgetRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('budgets')
    .selectAll()
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute()
}

/** Leaves a row alone that another made at the same moment. */
export async function insertBudget(db: Db, row: BudgetRow): Promise<void> {
  await db
    .insertInto('budgets')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export async function updateBudget(db: Db, id: string, change: Partial<Omit<BudgetRow, 'id'>>): Promise<void> {
  await db.updateTable('budgets').set(change).where('id', '=', id).execute()
}

export async function findBudgetByInbox(db: Db, inboxId: InboxId): Promise<BudgetRow | undefined> {
  return db.selectFrom('budgets').selectAll().where('inbox_id', '=', inboxId).executeTakeFirst()
}

/** Budgets that can still matter: made since then, or with a request in flight, or with a question open. */
export async function recentBudgets(db: Db, since: number, limit: number): Promise<BudgetRow[]> {
  return db
    .selectFrom('budgets')
    .selectAll()
    .where((or) => or.or([or('created_at', '>=', since), or('reserved_nanos', '>', 0), or('inbox_id', 'is not', null)]))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Puts money aside for a request: the rows must be locked. */
export async function insertReservation(db: Db, row: ReservationRow): Promise<void> {
  await db.insertInto('reservations').values(row).execute()
  await db
    .updateTable('budgets')
    .set({ reserved_nanos: sql<number>`reserved_nanos + ${row.nanos}` })
    .where('id', 'in', budgetsOf(row))
    .execute()
}

/** Exchanges what was put aside for what was spent, once: the rows must be locked. */
export async function removeReservation(db: Db, row: ReservationRow, spent: number): Promise<void> {
  const gone = await db.deleteFrom('reservations').where('id', '=', row.id).executeTakeFirst()
  const ids = budgetsOf(row)
  if (gone.numDeletedRows === 0n || ids.length === 0) return
  await db
    .updateTable('budgets')
    .set({
      reserved_nanos: sql<number>`reserved_nanos - ${row.nanos}`,
      spent_nanos: sql<number>`spent_nanos + ${spent}`,
    })
    .where('id', 'in', ids)
    .execute()
}

export async function findReservation(db: Db, id: string): Promise<ReservationRow | undefined> {
  return db.selectFrom('reservations').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function reservationsOf(db: Db, sessionId: SessionId): Promise<ReservationRow[]> {
  return db.selectFrom('reservations').selectAll().where('session_id', '=', sessionId).orderBy('id').execute()
}

/** Those of one host, or of all. */
export async function reservationsBy(db: Db, host: string | undefined, limit: number): Promise<ReservationRow[]> {
  const rows = db.selectFrom('reservations').selectAll().orderBy('id').limit(limit)
  return (host === undefined ? rows : rows.where('host', '=', host)).execute()
}

/** What is put aside for all requests in flight. */
export async function sumReserved(db: Db): Promise<number> {
  const row = await db.selectFrom('reservations').select(soundSum('nanos').as('nanos')).executeTakeFirstOrThrow()
  return Number(row.nanos ?? 0)
}

export const budgetsOf = ({ id, budgets }: ReservationRow): string[] =>
  readJson<string[]>({ table: 'reservations', key: id, column: 'budgets' }, budgets, areIds, [])

const areIds = (value: unknown): boolean => Array.isArray(value) && value.every((id) => typeof id === 'string')

type InLine = Pick<TurnRow, 'id' | 'session_id' | 'budget_needs'> & { budget_id: string; budget_since: number }

/** The first in each of these lines besides one turn, of those who wait for room. Whoever is paused stands in none. */
export async function firstInLines(db: Db, budgetIds: readonly string[], besides = ''): Promise<InLine[]> {
  const room = waiting(db, budgetIds).where('turns.budget_needs', '=', 'room')
  const rows = await room.where('turns.id', '<>', besides).execute()
  const first = new Map<string, InLine>()
  for (const row of rows as InLine[]) if (!first.has(row.budget_id)) first.set(row.budget_id, row)
  return [...first.values()]
}

/** Every turn that waits for this budget, whatever it lacks. */
export async function allInLine(db: Db, budgetId: string): Promise<InLine[]> {
  return (await waiting(db, [budgetId]).execute()) as InLine[]
}

const waiting = (db: Db, budgetIds: readonly string[]) =>
  db
    .selectFrom('turns')
    .innerJoin('sessions', 'sessions.id', 'turns.session_id')
    .select(['turns.id', 'turns.session_id', 'turns.budget_id', 'turns.budget_since', 'turns.budget_needs'])
    .where(sql<boolean>`turns.budget_id is not null`)
    .where('turns.budget_id', 'in', [...budgetIds])
    .whereRef('sessions.turn_id', '=', 'turns.id')
    .where('sessions.status', '=', 'waiting')
    .orderBy('turns.budget_since')
    .orderBy('turns.id')
