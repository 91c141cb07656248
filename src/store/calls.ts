import { sql } from 'kysely'
import type { WaitKind } from '../contract/calls.ts'
import type { CallId, SessionId } from '../contract/ids.ts'
import { prepared } from './drivers/prepared.ts'
import { isObject, readJson, readObject } from './drivers/unreadable.ts'
import type { CallRow, Db } from './tables.ts'

/** Word for word the condition of the index `calls_open`: with a parameter in it SQLite would scan every call ever made. */
const open = sql<boolean>`state <> 'done'`

export async function insertCalls(db: Db, rows: readonly CallRow[]): Promise<void> {
  if (rows.length > 0) await insertRows(db, rows)
}

const insertRows = prepared((db, rows: readonly CallRow[]) => db.insertInto('calls').values([...rows]))

export async function findCall(db: Db, id: CallId): Promise<CallRow | undefined> {
  return db.selectFrom('calls').selectAll().where('id', '=', id).executeTakeFirst()
}

/** In the order in which the model made them. */
export async function openCalls(db: Db, sessionId: SessionId): Promise<CallRow[]> {
  return selectOpen(db, sessionId)
}

const selectOpen = prepared((db, sessionId: SessionId) =>
  db
    .selectFrom('calls')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where(open)
    .orderBy('message_seq')
    .orderBy('position'),
)

/** Parked calls of one kind of wait, of all sessions, oldest first. */
export async function callsWaitingFor(db: Db, kind: WaitKind): Promise<CallRow[]> {
  return db
    .selectFrom('calls')
    .selectAll()
    .where(open)
    .where('state', '=', 'parked')
    .where('kind', '=', kind)
    .orderBy('created_at')
    .limit(WAITING)
    .execute()
}

const WAITING = 1000

/** Compare-and-set: only the first who ends the wait of a call, with a result or by letting it run, succeeds. */
export async function resolveParked(
  db: Db,
  id: CallId,
  outcome: { readonly result: unknown } | Pick<CallRow, 'approved'>,
): Promise<boolean> {
  const row = await db
    .updateTable('calls')
    .set(
      'result' in outcome
        ? { state: 'resolved', result: JSON.stringify(outcome.result) }
        : { state: 'ready', approved: outcome.approved },
    )
    .where('id', '=', id)
    .where('state', '=', 'parked')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function updateCall(db: Db, id: CallId, change: Partial<CallRow>): Promise<void> {
  await db.updateTable('calls').set(change).where('id', '=', id).execute()
}

export async function finishCalls(db: Db, ids: readonly CallId[], at: number): Promise<void> {
  if (ids.length > 0) await updateRows(db, ids, { state: 'done', ended_at: at })
}

export async function selectCalls(db: Db, ids: readonly CallId[]): Promise<CallRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('calls')
    .selectAll()
    .where('id', 'in', [...ids])
    .orderBy('message_seq')
    .orderBy('position')
    .execute()
}

export async function startCalls(db: Db, ids: readonly CallId[], at: number): Promise<void> {
  if (ids.length > 0) await updateRows(db, ids, { state: 'started', started_at: at })
}

/** They may start again, as if they never had. */
export async function unstartCalls(db: Db, ids: readonly CallId[]): Promise<void> {
  if (ids.length > 0) await updateRows(db, ids, { state: 'ready', started_at: null })
}

const updateRows = prepared((db, ids: readonly CallId[], change: Partial<CallRow>) =>
  db
    .updateTable('calls')
    .set(change)
    .where('id', 'in', [...ids]),
)

/** What the model gave the tool. An input that cannot be read becomes null, which fits no tool. */
export const inputOf = ({ id, input }: CallRow): unknown =>
  readJson({ table: 'calls', key: id, column: 'input' }, input, () => true, null)

/** What the call waits for, as its kind of wait keeps it. */
export const waitsForOf = <T extends object>({ id, waits_for }: CallRow): Partial<T> =>
  waits_for === null ? {} : readObject({ table: 'calls', key: id, column: 'waits_for' }, waits_for)

/** What the hooks before the call said. */
interface Hooked {
  /** Those that it waits for, and since when. */
  readonly waits: readonly string[]
  readonly since: number
  /** They have all been heard; those that changed the input. */
  readonly heard: true
  readonly changedBy: readonly string[]
}

export const hookedOf = ({ id, hooked }: CallRow): Partial<Hooked> =>
  hooked === null ? {} : readObject({ table: 'calls', key: id, column: 'hooked' }, hooked)

export const resultIn = <T>({ id, result }: CallRow, otherwise: T): T =>
  result === null ? otherwise : readJson({ table: 'calls', key: id, column: 'result' }, result, isOutput, otherwise)

const isOutput = (value: unknown): boolean => isObject(value) && 'output' in value
