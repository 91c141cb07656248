import { MAILBOX_LIMIT } from '../../contract/mail.ts'
import { selectWaitingMail } from '../../store/mail.ts'
import type { CallRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { updateTurn } from '../../store/turns.ts'
import type { Core, Tx } from '../base/index.ts'
import { stepAside } from '../budgets/index.ts'
import { hold, PAUSED, rest } from '../sessions/index.ts'
import { taskWaits } from '../tasks/index.ts'
import { asksPerson, endedByMail, endWaits, stopsClock, waitingReason } from '../waits/index.ts'
import { LEAVE } from './end.ts'
import type { Turn } from './turn.ts'

/** Mail that came just before a call parked ends the wait as it would have done just after. */
export async function endedByQueued(
  turn: Turn,
  tx: Tx,
  session: SessionRow,
  open: readonly CallRow[],
): Promise<boolean> {
  const queued = await selectWaitingMail(tx.db, session.id, ['queued'], MAILBOX_LIMIT)
  if (!queued.some(({ from_kind }) => endedByMail(open, from_kind))) return false
  await endWaits(turn.core, tx, session)
  return true
}

/** Every open call waits for something outside, so the turn waits too and gives the lease back. */
export async function wait(
  core: Core,
  tx: Tx,
  session: SessionRow,
  row: TurnRow,
  open: readonly CallRow[],
): Promise<typeof LEAVE> {
  const parked = open.filter((call) => call.state === 'parked')
  if (stopsClock(parked)) row.waiting_since = tx.now
  await updateTurn(tx.db, row)
  const reason = await waitingReason(core, tx.db, session, parked)
  if (session.task_id !== null) await taskWaits(tx, session, reason, { person: parked.some(asksPerson) })
  rest(session, 'waiting', reason)
  return LEAVE
}

export async function pause(tx: Tx, session: SessionRow, row?: TurnRow): Promise<typeof LEAVE> {
  if (row !== undefined) {
    row.waiting_since = tx.now
    await updateTurn(tx.db, row)
    if (row.budget_id !== null) await stepAside(tx, session)
  }
  hold(session)
  if (session.task_id !== null) await taskWaits(tx, session, PAUSED, { person: true })
  return LEAVE
}
