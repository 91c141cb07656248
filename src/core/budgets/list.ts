import type { Budgets } from '../../contract/cost.ts'
import { allInLine, recentBudgets } from '../../store/budgets.ts'
import { sumSince } from '../../store/cost.ts'
import { openRunOf } from '../../store/runs.ts'
import type { BudgetRow, Db } from '../../store/tables.ts'
import { findTask, hasEnded } from '../../store/tasks.ts'
import { findTurn } from '../../store/turns.ts'
import type { Core, Project } from '../base/index.ts'
import { agentFor, effectiveSettings, findAgent } from '../config/index.ts'
import { dayBudget, dayStart, limitOf, toNanos, toUsd } from '../spending/index.ts'
import { budgetInWords } from './words.ts'

const SHOWN = 100

/** The limits in money that count now, and whether a person should be asked for one before an agent costs anything. */
export async function budgetsNow(
  core: Core,
  project: Project,
  agent: string | undefined,
  db: Db = core.store.read,
): Promise<Budgets> {
  const { dailyCostUsd } = (await effectiveSettings(core, project)).settings.limits
  const rows = await rowsNow(core, db, dailyCostUsd)
  const items = await Promise.all(rows.map((row) => present(db, row)))
  const unset = dailyCostUsd === undefined && agent !== undefined
  return {
    items,
    ...(dailyCostUsd === undefined ? {} : { dailyCostUsd }),
    askDaily: unset && (await isPaid(core, project, agent)),
  }
}

/** Those of today and those of work that is not over; the day's first, also before anything was spent under it. */
async function rowsNow(core: Core, db: Db, dailyCostUsd: number | 'none' | undefined): Promise<BudgetRow[]> {
  const now = core.clock.now()
  const rows: BudgetRow[] = []
  for (const row of await recentBudgets(db, dayStart(now), SHOWN)) if (await isOpen(db, row)) rows.push(row)
  const id = dayBudget(now)
  const today = rows.find((row) => row.id === id)
  const others = rows.filter((row) => row.id !== id)
  if (today !== undefined || typeof dailyCostUsd !== 'number') return today ? [today, ...others] : others
  const spent_nanos = toNanos((await sumSince(db, dayStart(now), '*')).costUsd)
  const nothing = { raised_nanos: 0, reserved_nanos: 0, inbox_id: null, stopped_at: null, created_at: now }
  return [{ id, limit_nanos: toNanos(dailyCostUsd), spent_nanos, ...nothing }, ...others]
}

async function isOpen(db: Db, { id, reserved_nanos, inbox_id }: BudgetRow): Promise<boolean> {
  const [kind, of = ''] = id.split(':')
  if (reserved_nanos > 0 || inbox_id !== null) return true
  if (kind === 'turn') return (await findTurn(db, of))?.ended_at === null
  if (kind === 'run') return (await openRunOf(db, { run_id: of })) !== undefined
  const task = kind === 'task' ? await findTask(db, of) : undefined
  return kind !== 'task' || (task !== undefined && !hasEnded(task))
}

async function present(db: Db, row: BudgetRow): Promise<Budgets['items'][number]> {
  const left = limitOf(row) - row.spent_nanos - row.reserved_nanos
  return {
    id: row.id,
    name: (await budgetInWords(db, row)).of,
    limitUsd: toUsd(limitOf(row)),
    spentUsd: toUsd(row.spent_nanos),
    reservedUsd: toUsd(row.reserved_nanos),
    leftUsd: toUsd(Math.max(0, left)),
    waiting: (await allInLine(db, row.id)).length,
    ...(row.inbox_id === null ? {} : { inboxId: row.inbox_id }),
  }
}

/** Whether the agent's model is known to cost something. */
async function isPaid(core: Core, project: Project, name: string): Promise<boolean> {
  const { settings } = await effectiveSettings(core, project)
  const { model } = agentFor(await findAgent(core, project, name), 'chat')
  const chosen = model ?? settings.defaultModel ?? (await core.models.defaultModel(project))
  const [first] = (await core.models.candidates(project, [chosen])).usable
  const quote = first && (await core.models.quote(first))
  return quote !== undefined && quote.costUsd(1_000_000, 1_000_000) > 0
}
