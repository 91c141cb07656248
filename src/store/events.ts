import { sql } from 'kysely'
import { AppError } from '../contract/errors.ts'
import { type Event, type EventType, events } from '../contract/events.ts'
import type { CallId, RunId, SessionId } from '../contract/ids.ts'
import { iso } from '../lib/clock.ts'
import { isPostgres } from './drivers/dialect.ts'
import { isObject, readJson, reportUnreadable } from './drivers/unreadable.ts'
import type { Db } from './tables.ts'

export interface NewEvent {
  readonly at: number
  readonly type: EventType
  readonly project: string
  readonly sessionId: string | null
  readonly taskId?: string | null | undefined
  readonly runId?: string | null | undefined
  readonly nodeId?: string | null | undefined
  readonly data: Record<string, unknown>
  /** `data` as JSON, when the caller has it already. */
  readonly json?: string
}

/** Which events are wanted; an absent field narrows nothing. */
export interface EventChoice {
  readonly types?: readonly string[] | undefined
  readonly project?: string | undefined
  readonly sessionId?: string | undefined
  readonly taskId?: string | undefined
  readonly runId?: string | undefined
  readonly nodeId?: string | undefined
}

export interface EventFilter extends EventChoice {
  /** A cursor as handed out; absent = the beginning. */
  readonly after?: string | undefined
  /** Only what had happened at this cursor, itself included. */
  readonly until?: string | undefined
  readonly limit: number
  /** Of more than `limit` the newest, still oldest first; `seq` is then behind all of them. */
  readonly newest?: boolean | undefined
}

/** The column of each choice; the types are matched apart. */
export const choices = [
  ['project', 'project_id'],
  ['sessionId', 'session_id'],
  ['taskId', 'task_id'],
  ['runId', 'run_id'],
  ['nodeId', 'node_id'],
] as const

export interface EventPage {
  readonly items: Event[]
  /** The next `after`; it also moves past what the filter left out. */
  readonly seq: string
  /** The page holds as many as were asked for, so there may be more. */
  readonly full: boolean
}

export interface StoredEvent {
  readonly seq: string
  readonly at: number
  readonly type: string
  readonly project_id: string
  readonly session_id: string | null
  readonly task_id: string | null
  readonly run_id: string | null
  readonly node_id: string | null
  readonly data: string
}

/** An event that cannot be read is left out, and the position goes on past it. */
export const toEvents = (rows: readonly StoredEvent[]): Event[] =>
  rows.flatMap((row) => {
    // The key is the seq without its life and its snapshot, which differs from reader to reader.
    const place = { table: 'events', key: row.seq.split(/-|~/)[1]!, column: 'data' }
    if (!(row.type in events)) reportUnreadable({ ...place, column: 'type' })
    const data = readJson<Event['data'] | undefined>(place, row.data, isObject, undefined)
    return data === undefined || !(row.type in events) ? [] : [toEvent(row, data)]
  })

function toEvent(row: StoredEvent, data: Event['data']): Event {
  return {
    seq: row.seq,
    at: iso(Number(row.at)),
    type: row.type as EventType,
    project: row.project_id,
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    ...(row.task_id === null ? {} : { taskId: row.task_id }),
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    ...(row.node_id === null ? {} : { nodeId: row.node_id }),
    data,
  }
}

/** Records that this call leaves a note; false when it has left one already. */
export async function insertNoteOf(db: Db, sessionId: SessionId, callId: CallId): Promise<boolean> {
  const row = await db
    .insertInto('log_notes')
    .values({ session_id: sessionId, call_id: callId })
    .onConflict((conflict) => conflict.columns(['session_id', 'call_id']).doNothing())
    .returning('call_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether events of a run are written that nobody is shown yet, as an older transaction is not over. */
export async function hasUnsettled(db: Db, runId: RunId): Promise<boolean> {
  if (!isPostgres(db)) return false
  const { rows } = await sql`
    select 1 from events where run_id = ${runId} and xid >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`.execute(db)
  return rows.length > 0
}

export const eventValues = (event: NewEvent) => ({
  at: event.at,
  type: event.type,
  project_id: event.project,
  session_id: event.sessionId,
  task_id: event.taskId ?? null,
  run_id: event.runId ?? null,
  node_id: event.nodeId ?? null,
  data: event.json ?? JSON.stringify(event.data),
})

/** The message is short enough for the reason with which a socket is closed. */
export const expired = (earliest: string): AppError =>
  new AppError('events.expired', `Events after this position are no longer kept; the earliest is "${earliest}".`, {
    hint: 'Read the state anew and go on from its Troupe-Seq, or pass "after" = the earliest and do without the rest.',
    details: { earliest },
  })

export const badCursor = (after: string): AppError =>
  new AppError('events.bad_cursor', `"${after.slice(0, 80)}" is not a cursor of this server.`, {
    hint: 'Pass back a "seq" as it was given, or leave "after" out.',
  })
