import type { TurnEnd } from '../../contract/sessions.ts'
import { hasWaitingMail } from '../../store/mail.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { updateTurn } from '../../store/turns.ts'
import type { Tx } from '../base/index.ts'
import { leaveLine } from '../budgets/index.ts'
import { beginsAfter, stageEndsWith } from '../runs/index.ts'
import { giveBack, leaveTurn, tellHooks, want } from '../sessions/index.ts'
import { closeChildren, endsAlone, taskEnds } from '../tasks/index.ts'
import { failAllAsks, failAsks } from '../waits/index.ts'
import { keepQuiet } from './quiet.ts'

export const LEAVE = { do: 'leave' } as const

/** Every turn ends here, with a machine-readable end and a sentence for people. */
export async function endTurn(
  tx: Tx,
  session: SessionRow,
  row: TurnRow,
  end: TurnEnd,
  reason: string,
): Promise<typeof LEAVE> {
  await leaveLine(tx, session, row)
  await leaveTurn(tx, session, row, end, reason)
  await tellHooks(tx, session, 'turnEnd', row.id)
  if (end === 'done') await keepQuiet(tx, session, row)
  await failAsks(tx, session, row, `It ended its turn without an answer (${end}). ${reason}`)
  if (session.task_id !== null) await taskEnds(tx, session, end, reason)
  else await endsAlone(tx, session, end)
  if (end === 'closed') {
    await failAllAsks(tx, session, reason)
    // Children may have been made since the session was told to close.
    await closeChildren(tx, session)
  }
  // Mail that came during the last step starts the next turn by itself.
  const more = session.status !== 'closed' && (await hasWaitingMail(tx.db, session.id))
  if (more) want(tx, session)
  else if (session.worker === null) await stageEndsWith(tx, session)
  else await beginsAfter(tx, session)
  return LEAVE
}

/** A suspect that made something is none. The turn stays open and goes on when the other suspects are checked. */
export async function layDown(tx: Tx, session: SessionRow, row: TurnRow): Promise<typeof LEAVE> {
  await updateTurn(tx.db, row)
  giveBack(session)
  return LEAVE
}

/** Why a turn ended that somebody stopped. */
export function stoppedBy({ stopped_by }: SessionRow, end: 'canceled' | 'closed'): string {
  const who = stopped_by === 'parent' ? ' by its parent' : ''
  return `${end === 'closed' ? 'The session was closed' : 'It was canceled'}${who}.`
}
