import type { SessionId } from '../../contract/ids.ts'
import { insertTimer } from '../../store/timers.ts'
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
  /** A slot is free: wake who stands in line. */
  | 'start'
  /** A task has waited for others as long as it may. */
  | 'wait'
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
