import { AppError } from '../contract/errors.ts'
import type { Event, EventType } from '../contract/events.ts'
import type { CallId, SessionId } from '../contract/ids.ts'
import { iso } from '../lib/clock.ts'
import type { Db } from './tables.ts'

export interface NewEvent {
  readonly at: number
  readonly type: EventType
  readonly project: string
  readonly sessionId: string | null
  readonly data: Record<string, unknown>
  /** The same as JSON, where that is known already. */
  readonly json?: string
}

export interface EventFilter {
  /** A cursor as handed out; absent = the beginning. */
  readonly after?: string | undefined
  readonly types?: readonly string[] | undefined
  readonly sessionId?: string | undefined
  readonly project?: string | undefined
  readonly limit: number
}

export interface EventPage {
  readonly items: Event[]
  /** Hand it back as `after`: it also moves past what the filter left out. */
  readonly seq: string
}

export interface StoredEvent {
  readonly seq: string
  readonly at: number
  readonly type: string
  readonly project_id: string
  readonly session_id: string | null
  readonly data: string
}

export function toEvent(row: StoredEvent): Event {
  return {
    seq: row.seq,
    at: iso(Number(row.at)),
    type: row.type as EventType,
    project: row.project_id,
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    data: JSON.parse(row.data),
  }
}

/** Keeps that this call leaves a note; false when it has left one already. */
export async function insertNoteOf(db: Db, sessionId: SessionId, callId: CallId): Promise<boolean> {
  const row = await db
    .insertInto('log_notes')
    .values({ session_id: sessionId, call_id: callId })
    .onConflict((conflict) => conflict.columns(['session_id', 'call_id']).doNothing())
    .returning('call_id')
    .executeTakeFirst()
  return row !== undefined
}

export const eventValues = (event: NewEvent) => ({
  at: event.at,
  type: event.type,
  project_id: event.project,
  session_id: event.sessionId,
  data: event.json ?? JSON.stringify(event.data),
})

export const badCursor = (after: string): AppError =>
  new AppError('events.bad_cursor', `"${after.slice(0, 80)}" is not a cursor of this server.`, {
    hint: 'Pass back a "seq" as it was given, or leave "after" out.',
  })
