import { sql } from 'kysely'
import type { EventType } from '../contract/events.ts'
import type { InboxId, SessionId } from '../contract/ids.ts'
import { isPostgres } from './drivers/dialect.ts'
import { atMost } from './drivers/limit.ts'
import { readObject } from './drivers/unreadable.ts'
import type { CallRow, Db, InboxRow, TaskRow, TimerRow } from './tables.ts'

/** Queries that only `why` makes. */

interface NewestEvent {
  readonly at: number
  readonly type: EventType
  readonly data: Record<string, unknown>
}

/** The newest event of a session among these types. */
export async function newestEvent(
  db: Db,
  sessionId: SessionId,
  types: readonly EventType[],
): Promise<NewestEvent | undefined> {
  const row = await db
    .selectFrom('events')
    .select(['at', 'type', 'data'])
    .where('session_id', '=', sessionId)
    .where('type', 'in', [...types])
    // Word for word the columns of the index `events_session`.
    .orderBy(isPostgres(db) ? sql`xid desc, id desc` : sql`id desc`)
    .limit(atMost(1))
    .executeTakeFirst()
  const place = { table: 'events', key: `${sessionId} ${row?.at}`, column: 'data' }
  return row && { at: row.at, type: row.type as EventType, data: readObject(place, row.data) }
}

/** How many sessions this process holds. */
export async function countHeld(db: Db, owner: string): Promise<number> {
  const row = await db
    .selectFrom('sessions')
    .select(db.fn.countAll().as('count'))
    .where('wanted_at', 'is not', null)
    .where('lease_owner', '=', owner)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** What ends the wait of a call by time: its own timer, else that of its task. */
export async function findTimer(db: Db, call: Pick<CallRow, 'id' | 'session_id'>): Promise<TimerRow | undefined> {
  return db
    .selectFrom('timers')
    .selectAll()
    .where('session_id', '=', call.session_id)
    .where((or) => or.or([or('id', '=', call.id), or('kind', '=', 'wait')]))
    .orderBy('due_at')
    .limit(atMost(1))
    .executeTakeFirst()
}

/** The tasks that a parked call waits for, the oldest first. */
export async function tasksOfCall(db: Db, callId: string): Promise<TaskRow[]> {
  return db
    .selectFrom('subscriptions')
    .innerJoin('tasks', 'tasks.id', 'subscriptions.task_id')
    .selectAll('tasks')
    .where('subscriptions.call_id', '=', callId)
    .orderBy('tasks.created_at')
    .orderBy('tasks.id')
    .execute()
}

/** How many mails wait in a mailbox, by state. */
export async function countMail(db: Db, sessionId: SessionId): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('mail')
    .select(['state', db.fn.countAll().as('count')])
    .where('session_id', '=', sessionId)
    .where(sql<boolean>`state in ('queued', 'held', 'suppressed')`)
    .groupBy('state')
    .execute()
  return new Map(rows.map(({ state, count }) => [state, Number(count)]))
}

/** Finds inbox items by the beginning of their id, which is what lists show. */
export async function inboxByPrefix(db: Db, prefix: InboxId, limit: number): Promise<InboxRow[]> {
  return db
    .selectFrom('inbox')
    .selectAll()
    .where('id', '>=', prefix)
    .where('id', '<', `${prefix}g`)
    .orderBy('id')
    .limit(atMost(limit))
    .execute()
}
