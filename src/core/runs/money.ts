import { selectBudgets } from '../../store/budgets.ts'
import type { RunRow } from '../../store/tables.ts'
import type { Tx } from '../base/index.ts'
import { runBudget } from '../spending/index.ts'
import { closeRun } from './close.ts'
import { holdRun, letRunGoOn, NO_MONEY } from './pause.ts'

/** While the person is asked about the budget of a run it pauses, and it goes on or ends as they say. */
export async function lookAtMoney(tx: Tx, run: RunRow): Promise<void> {
  const [budget] = await selectBudgets(tx.db, [runBudget(run.id)])
  if (budget === undefined) return
  if (budget.stopped_at !== null)
    return closeRun(tx, run, { status: 'stopped', reason: 'Its budget is used up, and a person wants no more spent.' })
  if (budget.inbox_id !== null && run.status !== 'paused') return holdRun(tx, run, NO_MONEY)
  if (budget.inbox_id === null && run.status === 'paused' && run.reason === NO_MONEY) await letRunGoOn(tx, run)
}
