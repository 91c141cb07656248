import type { SessionStatus, TurnEnd } from '../../contract/sessions.ts'
import { spentOf } from '../../store/cost.ts'
import { hasWaitingMail } from '../../store/mail.ts'
import { tokensOf } from '../../store/sessions.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { updateTurn } from '../../store/turns.ts'
import { aboutSession, type Tx } from '../base/index.ts'
import { closeChildren, endsAlone, stopperOf, taskEnds } from '../tasks/index.ts'
import { failAsks } from '../waits/index.ts'

const LEAVE = { do: 'leave' } as const

/** Every turn ends here, with a machine-readable end and a sentence for people. */
export async function endTurn(
  tx: Tx,
  session: SessionRow,
  row: TurnRow,
  end: TurnEnd,
  reason: string,
): Promise<typeof LEAVE> {
  row.ended_at = tx.now
  row.ended_as = end
  row.reason = reason
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
  session.turn_id = null
  session.signal = null
  await failAsks(tx, session, row, `It ended its turn without an answer (${end}). ${reason}`)
  const failed = end === 'error' || end === 'limit' || end === 'stalled'
  session.reason = failed ? reason : null
  if (end === 'closed') close(tx, session)
  else release(session, failed ? 'error' : 'idle')
  if (session.task_id !== null) await taskEnds(tx, session, end, reason)
  else await endsAlone(tx, session, end)
  // Also those that were made since it was told to close.
  if (end === 'closed') await closeChildren(tx, session)
  // Mail that came during the last step starts the next turn by itself.
  if (session.status !== 'closed' && (await hasWaitingMail(tx.db, session.id))) session.wanted_at = tx.now
  return LEAVE
}

/** Why a turn ended that somebody stopped. */
export function stoppedBy({ stopped_by }: SessionRow, end: 'canceled' | 'closed'): string {
  const who = stopped_by === 'parent' ? ' by its parent' : ''
  return `${end === 'closed' ? 'The session was closed' : 'It was canceled'}${who}.`
}

export function close(tx: Tx, session: SessionRow): typeof LEAVE {
  session.closed_at = tx.now
  tx.record('session.closed', aboutSession(session), { by: stopperOf(session) })
  return release(session, 'closed')
}

/** Gives the lease back with the row in its resting state. */
export function release(session: SessionRow, status: SessionStatus): typeof LEAVE {
  session.status = status
  session.wanted_at = null
  session.lease_owner = null
  session.lease_until = null
  session.attempts = 0
  return LEAVE
}
