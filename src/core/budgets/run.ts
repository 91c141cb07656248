import { boardLooks, type Tx } from '../base/index.ts'
import { runOfBudget } from '../spending/index.ts'

/** The person is asked about a budget, or has answered: if it is that of a run, the run pauses or goes on. */
export async function tellRun(tx: Tx, budgetId: string): Promise<void> {
  const runId = runOfBudget(budgetId)
  if (runId !== undefined) await boardLooks(tx, runId)
}
