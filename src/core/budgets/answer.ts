import { AppError } from '../../contract/errors.ts'
import { allInLine, findBudgetByInbox, lockBudgets, updateBudget } from '../../store/budgets.ts'
import { settleInbox } from '../../store/inbox.ts'
import type { BudgetRow, InboxRow } from '../../store/tables.ts'
import { type Core, leaveErrand, transact } from '../base/index.ts'
import { limitOf, toNanos, toUsd } from '../spending/index.ts'
import { STOP } from './ask.ts'
import { tellRun } from './run.ts'

/** What a person decided about a budget: how far it may go, or that it ends. Whoever waits for it looks again. */
export async function answerBudget(core: Core, item: InboxRow, words: string, by: string): Promise<boolean> {
  return transact(core, 'budget.answer', async (tx) => {
    const asked = await findBudgetByInbox(tx.db, item.id)
    // Locked before the item is settled, as where the item is made or withdrawn.
    const [budget] = asked === undefined ? [] : await lockBudgets(tx.db, [asked.id])
    if (budget?.inbox_id !== item.id) return false
    const raised = amountIn(words)
    if (raised === undefined) throw unclear(words)
    if (raised !== STOP && toNanos(raised) <= limitOf(budget)) throw tooLittle(budget)
    if (!(await settleInbox(tx.db, item.id, 'answered', { answer: { answer: words }, by, at: tx.now }))) return false
    await updateBudget(tx.db, budget.id, {
      inbox_id: null,
      ...(raised === STOP ? { stopped_at: tx.now } : { raised_nanos: toNanos(raised) }),
    })
    for (const { session_id } of await allInLine(tx.db, budget.id))
      await leaveErrand(tx, { kind: 'budget', ref: budget.id, sessionId: session_id })
    await tellRun(tx, budget.id)
    const about = { project: item.project_id, ...(item.session_id === null ? {} : { sessionId: item.session_id }) }
    tx.record('inbox.answered', about, { inboxId: item.id, by })
    return true
  })
}

/** "raise to 2.50", "2.5 USD", "$3", "stop". */
function amountIn(words: string): number | typeof STOP | undefined {
  const said = words.trim().toLowerCase()
  if (said === STOP) return STOP
  const amount = Number(
    /^(?:raise(?: it)?(?: to)? )?\$?(\d{1,9}(?:\.\d{1,9})?)(?: ?(?:usd|dollars?|\$))?$/.exec(said)?.[1],
  )
  return amount > 0 ? amount : undefined
}

const unclear = (words: string): AppError =>
  new AppError('inbox.bad_answer', `"${words.slice(0, 80)}" is neither an amount in USD nor "${STOP}".`, {
    hint: `Answer "raise to 2.50", or "${STOP}".`,
  })

const tooLittle = (budget: BudgetRow): AppError =>
  new AppError('inbox.bad_answer', `The budget is ${toUsd(limitOf(budget))} USD already.`, {
    hint: `Answer with more than that, or "${STOP}".`,
  })
