import type { SessionId } from '../contract/ids.ts'
import type { TimerRow } from '../store/tables.ts'
import { insertTimer } from '../store/timers.ts'
import type { Tx } from './transaction.ts'

/**
 * Work for another session's row, left by a transaction that holds one already: two sessions are never locked at once.
 * It is a timer that is due: done right after the commit, or by whoever starts next.
 */
export type ErrandKind =
  /** An answer is known: give it to the call that waits. */
  | 'ask'
  /** A question that is waited for over HTTP is waited for no longer. */
  | 'ask-until'
  /** A task ended: tell the subscriber. */
  | 'task'
  /** A task that was told of came to cost more: charge the subscriber. */
  | 'charge'
  /** A slot is free: start what is pending. */
  | 'start'
  /** The maker is gone: close or cancel the child. */
  | 'close'
  | 'cancel'
  /** The person lets a chain go on. */
  | 'release'

/** For one that finds a call which has not parked yet. */
export const LATER_MS = 2000

export interface Errand {
  readonly kind: ErrandKind
  readonly ref: string
  readonly sessionId: SessionId
  /** At once unless told. */
  readonly at?: number
}

export async function leaveErrand(tx: Tx, { kind, ref, sessionId, at = tx.now }: Errand): Promise<void> {
  await insertTimer(tx.db, {
    id: `${kind}:${ref}:${sessionId}`,
    due_at: at,
    kind,
    ref,
    session_id: sessionId,
    payload: '{}',
  } satisfies TimerRow)
  tx.alarm(at)
}
