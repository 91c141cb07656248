import type { InboxId, SessionId } from '../../contract/ids.ts'
import { allInLine, lockBudgets, selectBudgets, updateBudget } from '../../store/budgets.ts'
import { settleInbox } from '../../store/inbox.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, SessionRow, SessionTimer, TurnRow } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { findTurn } from '../../store/turns.ts'
import { aboutSession, type Core, leaveErrand, onSession, type Tx } from '../base/index.ts'
import { want } from '../sessions/index.ts'
import { nextDay, offerRoom, type Short } from '../spending/index.ts'
import { tellRun } from './run.ts'
import { isOfDay } from './words.ts'

/** The turn waits for a budget from now on. Whoever comes back to the same step keeps its place. */
export async function joinLine(tx: Tx, row: TurnRow, { budget, needs }: Short): Promise<void> {
  // Whoever is behind it may need less.
  if (needs === 'raise' && row.budget_needs === 'room' && row.budget_id !== null)
    await offerRoom(tx, [row.budget_id], row)
  row.budget_since = row.budget_since ?? tx.now
  row.budget_id = budget.id
  row.budget_needs = needs
  const errand = { kind: 'budget', ref: budget.id, sessionId: row.session_id } as const
  if (isOfDay(budget.id)) await leaveErrand(tx, { ...errand, at: nextDay(tx.now) })
}

/** The turn got its money, or wants none any more: the next one looks, and a question that nobody waits for goes. */
export async function leaveLine(tx: Tx, session: SessionRow, row: TurnRow): Promise<void> {
  const id = row.budget_id
  if (id === null) return
  row.budget_id = null
  row.budget_since = null
  row.budget_needs = null
  const [budget] = await lockBudgets(tx.db, [id])
  await offerRoom(tx, [id], row)
  if (budget?.inbox_id == null) return
  const left = (await allInLine(tx.db, id)).filter((other) => other.id !== row.id && other.budget_needs === 'raise')
  const reason = 'nothing waits for it any more'
  if (left.length > 0) return
  await updateBudget(tx.db, id, { inbox_id: null })
  await tellRun(tx, id)
  if (await settleInbox(tx.db, budget.inbox_id, 'dismissed', { answer: null, by: reason, at: tx.now }))
    tx.record('inbox.dismissed', aboutSession(session), { inboxId: budget.inbox_id, reason })
}

/** Whether the open turn of a session waits for a budget. */
export const waitsForMoney = async (db: Db, session: SessionRow): Promise<boolean> =>
  session.status === 'waiting' && (await openTurnOf(db, session))?.budget_id != null

/** The question that a session waits for because a budget is too small. */
export async function askedForMoney(db: Db, sessionId: SessionId): Promise<InboxId | undefined> {
  const session = await findSession(db, sessionId)
  const row = session?.status === 'waiting' ? await openTurnOf(db, session) : undefined
  if (row?.budget_id == null || row.budget_needs !== 'raise') return undefined
  return (await selectBudgets(db, [row.budget_id]))[0]?.inbox_id ?? undefined
}

const openTurnOf = async (db: Db, { turn_id }: SessionRow): Promise<TurnRow | undefined> =>
  turn_id === null ? undefined : findTurn(db, turn_id)

/** Whoever is paused keeps nobody waiting behind it. */
export async function stepAside(tx: Tx, session: SessionRow): Promise<void> {
  const row = await openTurnOf(tx.db, session)
  if (row?.budget_id != null) await offerRoom(tx, [row.budget_id], row)
}

/** A budget has room, was raised, stopped or is over: the turn that waits for it goes on and sees for itself. */
export async function lookAtBudget(core: Core, timer: SessionTimer): Promise<void> {
  await onSession(core, timer.session_id, 'budget.look', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const row = await openTurnOf(tx.db, session)
    if (row?.budget_id !== timer.ref || session.status !== 'waiting') return
    want(tx, session)
    tx.after(() => core.wake(session.id))
  })
}
