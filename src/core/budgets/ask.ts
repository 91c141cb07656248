import type { InboxId } from '../../contract/ids.ts'
import { newId } from '../../lib/ids.ts'
import { updateBudget } from '../../store/budgets.ts'
import type { BudgetRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { aboutSession, type Tx } from '../base/index.ts'
import { addInbox } from '../inbox/index.ts'
import { dollars, limitOf, type Short, toUsd } from '../spending/index.ts'
import { tellRun } from './run.ts'
import { budgetInWords, isOfDay } from './words.ts'

export const STOP = 'stop'

/** The request does not fit into a budget even alone: one question for the budget, however many run into it. */
export async function askForMore(
  tx: Tx,
  session: SessionRow,
  turn: TurnRow,
  short: Short,
  { attended }: { attended: boolean },
): Promise<'asked' | 'stopped'> {
  const { budget, nanos } = short
  const asks = attended && budget.stopped_at === null
  const fresh = asks && budget.inbox_id === null ? newId('inbox') : undefined
  const inboxId = asks ? (budget.inbox_id ?? fresh) : undefined
  tx.record('budget.exceeded', aboutSession(session), {
    turnId: turn.id,
    budget: budget.id,
    limitUsd: toUsd(limitOf(budget)),
    spentUsd: toUsd(budget.spent_nanos),
    needsUsd: toUsd(nanos),
    ...(inboxId === undefined ? {} : { inboxId }),
  })
  if (fresh !== undefined) await askPerson(tx, session, short, fresh)
  return asks ? 'asked' : 'stopped'
}

async function askPerson(tx: Tx, session: SessionRow, { budget, nanos }: Short, id: InboxId): Promise<void> {
  const { of, limit, state } = await budgetInWords(tx.db, budget)
  const more = raiseTo(budget, nanos)
  await updateBudget(tx.db, budget.id, { inbox_id: id })
  await tellRun(tx, budget.id)
  await addInbox(tx, session, {
    id,
    kind: 'notice',
    title: `The budget of ${of} is used up: ${limit}`,
    body: [
      `${state}, and the next request may cost ${dollars(toUsd(nanos))}. What needs more waits for you; what fits goes on.`,
      `Answer "raise to ${more}" (or any amount in USD) to let it go on, or "${STOP}" to end what does not fit.`,
      ...(isOfDay(budget.id)
        ? ['It is raised for this day only; the setting stays. At midnight a new budget begins.']
        : []),
    ].join('\n'),
    options: [`raise to ${more}`, STOP],
    action: 'budget',
    about: { kind: 'budget', id: budget.id, label: of },
  })
}

/** Twice the limit, or enough for the request with as much again. */
function raiseTo(budget: BudgetRow, nanos: number): number {
  const usd = Math.max(toUsd(limitOf(budget)) * 2, toUsd(budget.spent_nanos) + 2 * toUsd(nanos))
  return usd >= 1 ? Math.ceil(usd) : Math.ceil(usd * 100) / 100
}
