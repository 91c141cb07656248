import { MAILBOX_LIMIT } from '../../contract/mail.ts'
import { hasWaitingMail, selectWaitingMail } from '../../store/mail.ts'
import { findRun } from '../../store/runs.ts'
import type { CallRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { isLeft } from '../../store/timers.ts'
import { updateTurn } from '../../store/turns.ts'
import { type Core, errandId, type Tx } from '../base/index.ts'
import { stepAside } from '../budgets/index.ts'
import { beginTurn, close, goOnWithTurn, hold, lower, PAUSED, PAUSED_WITH_RUN, rest } from '../sessions/index.ts'
import { taskEnds, taskWaits } from '../tasks/index.ts'
import { asksPerson, endedByMail, endWaits, stopsClock, waitingReason } from '../waits/index.ts'
import { LEAVE } from './end.ts'
import type { Next } from './safe-point.ts'
import type { Turn } from './turn.ts'

/** The cause of a turn that nothing began but a person's wish for a compaction: it calls no model for more. */
export const COMPACTS = 'compact'

/** The open turn, or a new one when there is something to do: mail, or a person's word to go on. */
export async function currentTurn(
  tx: Tx,
  session: SessionRow,
  open: TurnRow | undefined,
): Promise<TurnRow | undefined> {
  if (open === undefined) {
    if (session.signal === 'pause' || session.signal === 'close') return undefined
    const has = session.signal === 'resume' || (await hasWaitingMail(tx.db, session.id))
    if (!has && session.compact_focus === null) return undefined
    const begun = await beginTurn(tx, session)
    if (!has) begun.cause = COMPACTS
    return begun
  }
  if (open.waiting_since !== null) {
    open.waited_ms += tx.now - open.waiting_since
    open.waiting_since = null
  }
  goOnWithTurn(session)
  return open
}

/** No turn is open and none begins: there is nothing to do, or a person stopped it before it began. */
export async function stayAtRest(tx: Tx, session: SessionRow): Promise<Next> {
  const { signal } = session
  if (signal === 'pause') return pause(tx, session)
  lower(session)
  rest(session, 'idle', null)
  if (signal === 'close' || signal === 'cancel') await taskEnds(tx, session, 'canceled', 'Canceled before it began.')
  if (signal === 'close') close(tx, session)
  // The task took a slot for nothing: what it waits for has not come.
  if (session.task_id !== null) await taskWaits(tx, session, 'There was nothing to do yet.', { person: false })
  return LEAVE
}

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
): Promise<Next> {
  const parked = open.filter((call) => call.state === 'parked')
  if (stopsClock(parked)) row.waiting_since = tx.now
  await updateTurn(tx.db, row)
  const reason = await waitingReason(core, tx.db, session, parked)
  if (session.task_id !== null) await taskWaits(tx, session, reason, { person: parked.some(asksPerson) })
  rest(session, 'waiting', reason)
  return LEAVE
}

export async function pause(tx: Tx, session: SessionRow, row?: TurnRow): Promise<Next> {
  if (row !== undefined) {
    row.waiting_since = tx.now
    await updateTurn(tx.db, row)
    if (row.budget_id !== null) await stepAside(tx, session)
  }
  const alone = session.stopped_by === 'human' || !(await isPausedWithRun(tx, session))
  const reason = alone ? PAUSED : PAUSED_WITH_RUN
  hold(session, reason)
  if (session.task_id !== null) await taskWaits(tx, session, reason, { person: true })
  return LEAVE
}

/** A run that went on or ended just now has left the errand by which its member goes on too. */
async function isPausedWithRun(tx: Tx, { id, run_id }: SessionRow): Promise<boolean> {
  if (run_id === null) return false
  if ((await findRun(tx.db, run_id))?.status === 'paused') return true
  return isLeft(tx.db, errandId({ kind: 'steer', ref: run_id, sessionId: id }))
}
