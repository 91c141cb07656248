import type { NodeId, RunId, SessionId, StageId } from '../../contract/ids.ts'
import { insertTimer } from '../../store/timers.ts'
import type { Tx } from './transaction.ts'

/**
 * Work for another session's row. A transaction that already holds a row leaves it, as two sessions are never locked at
 * once. An errand is a timer that is due: it is done right after the commit, or by the process that starts next.
 */
export type ErrandKind =
  /** An answer is known: give it to the call that waits. */
  | 'ask'
  /** The time is up in which a question over HTTP could be answered. */
  | 'ask-until'
  /** A task ended: tell the subscriber. */
  | 'task'
  /** A task that has ended came to cost more: charge the subscriber. */
  | 'charge'
  /** A slot is free: wake the sessions that are next in line. */
  | 'start'
  /** A task has waited for others as long as it may. */
  | 'wait'
  /** The maker is gone: close or cancel the child. */
  | 'close'
  | 'cancel'
  /** The person lets a chain go on. */
  | 'release'
  /** A tick of a daemon has ended. */
  | 'tick'
  /** A turn or a task has ended, and hooks want to know. */
  | 'hooks'
  /** A budget has room, was raised or is over: the turn that waits for it looks again. */
  | 'budget'
  /** Nodes have ended: tell the session that made them. */
  | 'news'
  /** A run paused or goes on: its member does the same. */
  | 'steer'
  /** Nothing goes on in a run, or its next cycle begins: tell the coordinator. */
  | 'nudge'

/** An errand that finds its call not parked yet comes again after this long. */
export const LATER_MS = 2000

export interface Errand {
  readonly kind: ErrandKind
  readonly ref: string
  readonly sessionId: SessionId
  /** When it is due: now, unless given. */
  readonly at?: number
}

export const errandId = ({ kind, ref, sessionId }: Errand): string => `${kind}:${ref}:${sessionId}`

export async function leaveErrand(tx: Tx, errand: Errand): Promise<void> {
  const { kind, ref, sessionId, at = tx.now } = errand
  await insertTimer(tx.db, {
    id: errandId(errand),
    due_at: at,
    kind,
    ref,
    session_id: sessionId,
    payload: '{}',
  })
  tx.alarm(at)
}

/** Work for a run, which holds no session. */
type RunErrandKind =
  /** Something on its board changed: see what follows. */
  | 'board'
  /** A node has its worker: make the task. */
  | 'begin'
  /** The time of a stage is up. */
  | 'stage'
  /** The time of a run may be up, or its members wrote too much. */
  | 'limit'
  /** What happened is to be written to the files of the run. */
  | 'files'

export async function leaveRunErrand(
  tx: Tx,
  kind: RunErrandKind,
  ref: RunId | NodeId | StageId,
  at = tx.now,
): Promise<void> {
  await insertTimer(tx.db, { id: `${kind}:${ref}`, due_at: at, kind, ref, session_id: null, payload: '{}' })
  tx.alarm(at) // Whatever changes the board is to be read in the run's folder, too.
  if (kind === 'board') await leaveRunErrand(tx, 'files', ref)
}
