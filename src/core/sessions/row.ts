import { Signal, type Stopper, type TurnEnd } from '../../contract/sessions.ts'
import { newId } from '../../lib/ids.ts'
import { stopAll as stopBackgroundOf } from '../../lib/process/background.ts'
import { spentOf } from '../../store/cost.ts'
import { handleOf, insertSession, tokensOf } from '../../store/sessions.ts'
import type { SessionRow, SessionState, TurnRow } from '../../store/tables.ts'
import { insertTurn, updateTurn } from '../../store/turns.ts'
import { aboutSession, type Tx } from '../base/index.ts'

/**
 * The owner of a session's state: what it does, what is asked of it, who holds it. Nobody else in core writes these columns.
 * The event `session.status` is recorded when the row is written, once for all that one transaction does to it.
 */

export const PAUSED = 'Paused by a person.'
/** Whoever is paused with its run goes on with it. */
export const PAUSED_WITH_RUN = 'Its run is paused.'

const HELD_BY_NOBODY = { wanted_at: null, lease_owner: null, lease_until: null, attempts: 0, checks: 0 } as const

export const INITIAL: SessionState = {
  ...HELD_BY_NOBODY,
  status: 'idle',
  reason: null,
  turn_id: null,
  signal: null,
  stopped_by: null,
  fence: 0,
  closed_at: null,
  deleted_at: null,
}

export async function addSession(tx: Tx, session: SessionRow): Promise<void> {
  await insertSession(tx.db, session)
  const { agent, mode, title } = session
  const handle = await handleOf(tx.db, session.project_id, session.id)
  tx.record('session.created', aboutSession(session), { agent, mode, title, handle })
}

/** A runner has something to do here. */
export const want = ({ now }: Pick<Tx, 'now'>, session: SessionRow): void =>
  set(session, { wanted_at: session.wanted_at ?? now })

/** There is nothing to do until the session is wanted again. The lease is given back. */
export const rest = (session: SessionRow, status: 'idle' | 'waiting' | 'paused' | 'error', reason: string | null) =>
  set(session, { status, reason, ...HELD_BY_NOBODY })

/** A person pauses the session until they let it go on. Any other signal still stands then. */
export function hold(session: SessionRow, reason = PAUSED): void {
  if (session.signal === 'pause') lower(session)
  rest(session, 'paused', reason)
}

/** The session goes on where it stopped: after a pause, or once more after an error. */
export function resume(tx: Pick<Tx, 'now'>, session: SessionRow): void {
  if (session.status === 'error') set(session, { signal: 'resume' })
  set(session, { status: session.turn_id === null ? 'idle' : 'waiting', reason: null })
  want(tx, session)
}

/** The session ends: somebody told it to stop, or its work is done. */
export function close(tx: Tx, session: SessionRow): void {
  if (session.status === 'closed') return
  set(session, { status: 'closed', closed_at: tx.now, signal: null, ...HELD_BY_NOBODY })
  tx.record('session.closed', aboutSession(session), { by: session.stopped_by ?? 'system' })
  // Not awaited: background commands may take seconds to end, and this may be an errand with others behind it.
  tx.after(() => void stopBackgroundOf(session.id))
}

export function reopen(session: SessionRow): void {
  if (session.status === 'closed') set(session, { status: 'idle', reason: null, closed_at: null })
}

/** Raises the fence, so that a runner in mid-turn can write nothing more. */
export function erase(tx: Tx, session: SessionRow, by: Stopper = 'human'): void {
  const fence = session.fence + 1
  set(session, { status: 'closed', deleted_at: tx.now, turn_id: null, fence, ...HELD_BY_NOBODY })
  tx.record('session.deleted', aboutSession(session), { by })
}

/** Leaves a signal for the next safe point. A weaker signal never replaces a stronger one. */
export function raise(session: SessionRow, signal: Signal): void {
  if (strength(signal) > strength(session.signal)) set(session, { signal })
}

/** Leaves the signal to stop and who gave it. Whoever only repeats it did not stop the session. */
export function tellToStop(session: SessionRow, signal: 'cancel' | 'close', by: Stopper): void {
  if (strength(signal) > strength(session.signal)) set(session, { signal, stopped_by: by })
}

/** Leaves the word to pause and whose it is. That of a person outlasts the run's. */
export function tellToPause(session: SessionRow, by: Stopper): void {
  const isFirst = strength('pause') > strength(session.signal)
  if (isFirst || (session.signal === 'pause' && by === 'human')) set(session, { signal: 'pause', stopped_by: by })
}

/** What the signal asked for is done, or taken back. */
export const lower = (session: SessionRow): void =>
  set(session, { signal: null, ...(session.signal === 'pause' && { stopped_by: null }) })

/** As mail to a closed session reopens it, mail to one that is about to close keeps it open. */
export function keepOpen(session: SessionRow): void {
  if (session.signal === 'close') set(session, { signal: 'cancel' })
}

/** A runner has the session or is about to: whatever is asked of it must wait for the next safe point. */
export const isTaken = (session: SessionRow): boolean => session.status === 'running' || session.lease_owner !== null

export async function beginTurn(tx: Tx, session: SessionRow): Promise<TurnRow> {
  const row = await insertTurn(tx.db, newId('turn'), session.id, tx.now)
  const stopped = session.signal === 'cancel' || session.signal === 'close'
  set(session, { turn_id: row.id, stopped_by: stopped ? session.stopped_by : null })
  goOnWithTurn(session)
  tx.record('turn.started', aboutSession(session), { turnId: row.id, attempt: session.attempts })
  return row
}

export function goOnWithTurn(session: SessionRow): void {
  if (session.signal === 'resume') lower(session)
  set(session, { status: 'running', reason: null })
}

/** The turn is over; its session rests, or is closed. */
export async function leaveTurn(
  tx: Tx,
  session: SessionRow,
  row: TurnRow,
  end: TurnEnd,
  reason: string,
): Promise<void> {
  Object.assign(row, { ended_at: tx.now, ended_as: end, reason })
  await updateTurn(tx.db, row)
  tx.record('turn.ended', aboutSession(session), {
    turnId: row.id,
    end,
    reason,
    iterations: row.iterations,
    durationMs: tx.now - row.started_at,
    tokens: tokensOf(row),
    ...spentOf(row),
  })
  const failed = end === 'error' || end === 'limit' || end === 'stalled'
  set(session, { turn_id: null, signal: null })
  rest(session, failed ? 'error' : 'idle', failed ? reason : null)
  if (end === 'closed') close(tx, session)
}

/** The runner stops before the turn is over: the session stays wanted, and this attempt does not count. */
export const giveBack = (session: SessionRow): void =>
  set(session, { lease_owner: null, lease_until: null, attempts: Math.max(0, session.attempts - 1) })

/** A session that was in hand at so many crashes, one after the other and without progress, may be their cause. */
export const SUSPECT_AFTER = 2

/** A suspect lived on alone: it goes on with the others. The next crash makes it a suspect again, to be checked for longer. */
export const acquit = (session: SessionRow): void =>
  set(session, { lease_owner: null, lease_until: null, attempts: SUSPECT_AFTER - 1, checks: session.checks + 1 })

/** An attempt that appended a message made progress, so it counts as the first again. */
export const countAnew = (session: SessionRow): void => set(session, { attempts: 1, checks: 0 })

const strength = (signal: Signal | null): number => (signal === null ? -1 : Signal.options.indexOf(signal))

function set(session: SessionRow, change: Partial<SessionState>): void {
  Object.assign(session, change)
}
