import { selectBudgets } from '../../store/budgets.ts'
import type { SessionRow } from '../../store/tables.ts'
import { findTurn } from '../../store/turns.ts'
import { budgetInWords } from '../budgets/index.ts'
import { person, wakes } from '../waits/index.ts'
import { raiseBudget, stopBudget } from './commands.ts'
import type { Look, Reason } from './reason.ts'

/** Which budget a turn waits for: others hold the money for a moment, or a person has to give more. */
export async function moneyReason(
  look: Look,
  session: SessionRow,
): Promise<Pick<Reason, 'since' | 'says' | 'waitsOn' | 'wakes' | 'unblock'> | undefined> {
  const turn = session.turn_id === null ? undefined : await findTurn(look.db, session.turn_id)
  if (turn?.budget_id == null) return undefined
  const [budget] = await selectBudgets(look.db, [turn.budget_id])
  if (budget === undefined) return undefined
  const { of, limit, state } = await budgetInWords(look.db, budget)
  const since = turn.budget_since ?? turn.started_at
  const waitsOn = [{ kind: 'budget', ref: budget.id, label: `${limit}: ${state}` }] as const
  if (turn.budget_needs === 'room') {
    return {
      since,
      says: `waits for money that others have reserved in the budget of ${of}`,
      waitsOn,
      wakes: wakes('budget', 'the end of a request that holds some of it; first come, first served'),
      unblock: [person('see who runs', 'troupe sessions --status running')],
    }
  }
  const item = budget.inbox_id
  return {
    since,
    says: `waits for your decision about the budget of ${of}`,
    waitsOn,
    wakes: wakes('answer', 'your decision'),
    unblock: item === null ? [] : [raiseBudget(item), stopBudget(item)],
  }
}
