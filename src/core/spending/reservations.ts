import type { SessionId } from '../../contract/ids.ts'
import {
  budgetsOf,
  findReservation,
  firstInLines,
  insertBudget,
  insertReservation,
  lockBudgets,
  removeReservation,
  reservationsBy,
  reservationsOf,
  updateBudget,
} from '../../store/budgets.ts'
import type { BudgetRow, ReservationRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { aboutSession, type Core, leaveErrand, type Quote, type Tx, transact } from '../base/index.ts'
import { type Applicable, applicable, type Purse } from './applicable.ts'
import { toNanos, toUsd } from './money.ts'

/** An answer of fewer tokens is not worth asking for. */
const LEAST_OUTPUT = 512

/** A request that is about to be made. */
interface Wanted {
  /** That of the request. */
  readonly id: string
  readonly quote: Quote
  /** Tokens that the model will read. */
  readonly input: number
  /** Tokens that it may write, unless the money is short. */
  readonly output: number
}

/** The money is there, for so many tokens of output; or which budget is too small, and what it lacks. */
type Reserved = { readonly output: number } | Short

export interface Short {
  readonly budget: BudgetRow
  readonly needs: 'room' | 'raise'
  readonly nanos: number
}

/**
 * Puts aside what a request may cost, in every budget that it counts against, or in none. The session's row is locked
 * before, and the budgets are locked in the order of their ids, so nobody waits in a circle.
 */
export async function reserve(
  core: Core,
  tx: Tx,
  { session, turn, purse }: { session: SessionRow; turn: TurnRow; purse: Purse },
  wanted: Wanted,
): Promise<Reserved> {
  const { quote, input } = wanted
  // What costs nothing needs no money.
  if (quote.costUsd(input, LEAST_OUTPUT) === 0) return { output: wanted.output }
  const budgets = await lockAll(tx, purse, applicable(purse, session, turn, tx.now))
  if (budgets.length === 0) return { output: wanted.output }

  const alone = Math.min(...budgets.map((budget) => limitOf(budget) - budget.spent_nanos))
  const output = affordable(wanted, alone)
  const nanos = toNanos(quote.costUsd(input, output))
  const tooSmall = budgets.find((budget) => nanos > limitOf(budget) - budget.spent_nanos)
  if (tooSmall) return { budget: tooSmall, needs: 'raise', nanos }
  const full =
    budgets.find((budget) => nanos > limitOf(budget) - budget.spent_nanos - budget.reserved_nanos) ??
    (await heldByLine(tx, budgets, turn))
  if (full) return { budget: full, needs: 'room', nanos }

  const ids = budgets.map(({ id }) => id)
  await insertReservation(tx.db, {
    id: wanted.id,
    session_id: session.id,
    turn_id: turn.id,
    host: core.host,
    nanos,
    budgets: JSON.stringify(ids),
    at: tx.now,
  })
  tx.record('budget.reserved', aboutSession(session), { turnId: turn.id, budgets: ids, usd: toUsd(nanos) })
  return { output }
}

export const limitOf = ({ limit_nanos, raised_nanos }: BudgetRow): number => Math.max(limit_nanos, raised_nanos)

/** As many tokens as were wanted, or as the money is enough for; never fewer than an answer needs. */
function affordable({ quote, input, output }: Wanted, nanos: number): number {
  const wanted = Math.max(output, 1)
  if (toNanos(quote.costUsd(input, wanted)) <= nanos) return wanted
  const fixed = toNanos(quote.costUsd(input, 0))
  const each = (toNanos(quote.costUsd(input, wanted)) - fixed) / wanted
  const most = each > 0 ? Math.floor((nanos - fixed) / each) : 0
  return Math.min(wanted, Math.max(LEAST_OUTPUT, most))
}

/** Those of the files are made or follow the files; of those above, whatever is there counts. */
async function lockAll(tx: Tx, { above }: Purse, own: readonly Applicable[]): Promise<BudgetRow[]> {
  const ids = [...new Set([...own.map(({ id }) => id), ...above])]
  const found = await lockBudgets(tx.db, ids)
  const missing = own.filter(({ id }) => !found.some((row) => row.id === id))
  for (const { id, limitUsd, before } of missing) {
    await insertBudget(tx.db, {
      id,
      limit_nanos: toNanos(limitUsd),
      raised_nanos: 0,
      spent_nanos: toNanos(await before(tx.db)),
      reserved_nanos: 0,
      inbox_id: null,
      stopped_at: null,
      created_at: tx.now,
    })
  }
  const all = missing.length === 0 ? found : await lockBudgets(tx.db, ids)
  for (const row of all) {
    const limit = own.find(({ id }) => id === row.id)?.limitUsd
    if (limit === undefined || toNanos(limit) === row.limit_nanos) continue
    row.limit_nanos = toNanos(limit)
    await updateBudget(tx.db, row.id, { limit_nanos: row.limit_nanos })
  }
  return all
}

/** First come, first served: a budget for which another waits longer. */
async function heldByLine(tx: Tx, budgets: readonly BudgetRow[], turn: TurnRow): Promise<BudgetRow | undefined> {
  const ids = budgets.map(({ id }) => id)
  const held = (await firstInLines(tx.db, ids, turn.id)).find((head) => !isBefore(turn, head))
  return held && budgets.find(({ id }) => id === held.budget_id)
}

const isBefore = ({ id, budget_id, budget_since }: TurnRow, head: { id: string; budget_since: number }): boolean =>
  budget_id !== null &&
  budget_since !== null &&
  (budget_since < head.budget_since || (budget_since === head.budget_since && id < head.id))

/** What the request cost replaces what was put aside for it. Where the price turned out unknown, all of it counts. */
export async function settleReservation(tx: Tx, id: string, costUsd: number | undefined): Promise<void> {
  const row = await findReservation(tx.db, id)
  if (row !== undefined) await settleRows(tx, [row], ({ nanos }) => (costUsd === undefined ? nanos : toNanos(costUsd)))
}

/** Nobody knows what became of these requests, so all that was put aside for them counts as spent. */
export async function settleLost(tx: Tx, sessionId: SessionId): Promise<void> {
  await settleRows(tx, await reservationsOf(tx.db, sessionId), ({ nanos }) => nanos)
}

const PAGE = 200

/** Settles what processes of this data folder left behind or, where it is alone on the database, what anyone left. */
export async function settleAbandoned(core: Core): Promise<void> {
  const host = core.store.alone ? undefined : core.host
  let full = (await reservationsBy(core.store.read, host, 1)).length > 0
  while (full) {
    full = await transact(core, 'budget.settle', async (tx) => {
      const rows = await reservationsBy(tx.db, host, PAGE)
      await settleRows(tx, rows, ({ nanos }) => nanos)
      return rows.length === PAGE
    })
  }
}

async function settleRows(
  tx: Tx,
  rows: readonly ReservationRow[],
  spent: (row: ReservationRow) => number,
): Promise<void> {
  const ids = [...new Set(rows.flatMap(budgetsOf))]
  await lockBudgets(tx.db, ids)
  for (const row of rows) await removeReservation(tx.db, row, spent(row))
  await offerRoom(tx, ids)
}

/** The first in each line looks again whether it fits. */
export async function offerRoom(tx: Tx, budgetIds: readonly string[], besides?: Pick<TurnRow, 'id'>): Promise<void> {
  if (budgetIds.length === 0) return
  for (const { session_id, budget_id } of await firstInLines(tx.db, budgetIds, besides?.id)) {
    await leaveErrand(tx, { kind: 'budget', ref: budget_id, sessionId: session_id })
  }
}
