import { sql } from 'kysely'
import { prepared } from './drivers/prepared.ts'
import { readObject } from './drivers/unreadable.ts'
import type { Db, NewTimer, TimerRow } from './tables.ts'

export async function insertTimer(db: Db, row: NewTimer): Promise<void> {
  await insertRow(db, { ...row, claimed_by: null, claimed_until: null })
}

const insertRow = prepared((db, row: TimerRow) =>
  db
    .insertInto('timers')
    .values(row)
    // A conflict always updates: that locks the row, so that whoever serves it sees what this transaction wrote.
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        due_at: sql`case when excluded.due_at < timers.due_at then excluded.due_at else timers.due_at end`,
      }),
    ),
)

/** Sets a timer for another moment, whoever has claimed it: a claim of the old moment is void. */
export async function moveTimer(db: Db, row: NewTimer): Promise<void> {
  const fresh = { ...row, claimed_by: null, claimed_until: null }
  await db
    .insertInto('timers')
    .values(fresh)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(fresh))
    .execute()
}

export async function dueTimers(db: Db, now: number, limit: number): Promise<TimerRow[]> {
  return db.selectFrom('timers').selectAll().where('due_at', '<=', now).orderBy('due_at').limit(limit).execute()
}

interface Claim {
  readonly by: string
  /** Due by this moment. */
  readonly due: number
  /** `now` and `until` are by the database's clock. */
  readonly now: number
  readonly until: number
  readonly limit: number
}

/** Each due timer goes to one process. Timers that another claims at this moment are passed over. PostgreSQL only. */
export async function claimTimers(db: Db, { by, due, now, until, limit }: Claim): Promise<TimerRow[]> {
  const claimed = await db
    .with('free', (free) =>
      free
        .selectFrom('timers')
        .select('id')
        .where('due_at', '<=', due)
        .where((or) => or.or([or('claimed_until', 'is', null), or('claimed_until', '<', now)]))
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('timers')
    .from('free')
    .set({ claimed_by: by, claimed_until: until })
    .whereRef('timers.id', '=', 'free.id')
    .returningAll('timers')
    .execute()
  return claimed.sort((a, b) => a.due_at - b.due_at)
}

/** Frees the timers of a process that is dead. */
export async function freeTimers(db: Db, by: string): Promise<void> {
  await db.updateTable('timers').set({ claimed_by: null, claimed_until: null }).where('claimed_by', '=', by).execute()
}

/** Whether it was moved to a later time since it rang. */
export async function wasPutOff(db: Db, { id, due_at }: TimerRow): Promise<boolean> {
  const row = await db.selectFrom('timers').select('due_at').where('id', '=', id).executeTakeFirst()
  return row !== undefined && Number(row.due_at) > Number(due_at)
}

/** Serving a timer begins with this. False when it was served already or is now another's to serve. */
export async function takeTimer(db: Db, { id, claimed_by }: TimerRow): Promise<boolean> {
  const taken = await (claimed_by === null ? deleteUnclaimed(db, id) : deleteClaimed(db, id, claimed_by))
  return taken.length > 0
}

const deleteUnclaimed = prepared((db, id: string) =>
  db.deleteFrom('timers').where('id', '=', id).where('claimed_by', 'is', null).returning('id'),
)
const deleteClaimed = prepared((db, id: string, by: string) =>
  db.deleteFrom('timers').where('id', '=', id).where('claimed_by', '=', by).returning('id'),
)

/** The next moment at which to look: a timer becomes due, or a claim runs out. Those that are being served count for nothing. */
export async function nextTimer(db: Db, without: readonly string[] = []): Promise<number | undefined> {
  const free = await db
    .selectFrom('timers')
    .select('due_at')
    .where('claimed_until', 'is', null)
    .$if(without.length > 0, (query) => query.where('id', 'not in', [...without]))
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  const claimed = await db
    .selectFrom('timers')
    .select('claimed_until')
    .where('claimed_until', 'is not', null)
    .orderBy('claimed_until')
    .limit(1)
    .executeTakeFirst()
  const next = Math.min(free?.due_at ?? Number.POSITIVE_INFINITY, claimed?.claimed_until ?? Number.POSITIVE_INFINITY)
  return Number.isFinite(next) ? next : undefined
}

/** Whether somebody left this and nobody has served it yet. */
export async function isLeft(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('timers').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function deleteTimers(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await deleteByIds(db, ids)
}

const deleteByIds = prepared((db, ids: readonly string[]) => db.deleteFrom('timers').where('id', 'in', [...ids]))

/** The holder of a timer gives it back for later. */
export async function postponeTimer(db: Db, timer: TimerRow, due: number, payload: unknown): Promise<void> {
  if (!(await takeTimer(db, timer))) return
  const { claimed_by: _, claimed_until: __, ...row } = timer
  await insertTimer(db, { ...row, due_at: due, payload: JSON.stringify(payload) })
}

/** What the timer keeps, as far as it can be read. */
export const payloadOf = <T extends object>({ id, payload }: TimerRow): Partial<T> =>
  readObject({ table: 'timers', key: id, column: 'payload' }, payload)
