import { findRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { BudgetRow, Db } from '../../store/tables.ts'
import { findTurn } from '../../store/turns.ts'
import { nameWithHandle } from '../sessions/index.ts'
import { dollars, limitOf, toUsd } from '../spending/index.ts'

/** A budget in words: what it bounds, where its limit is set, and how far it is used. */
interface Worded {
  /** "the turn of writer 3f2a", "all agents on 2026-01-31". */
  readonly of: string
  /** "1.00 USD in one turn (limits.maxCostUsd)". */
  readonly limit: string
  /** "0.98 of 1.00 USD are spent, 0.01 USD are reserved". */
  readonly state: string
}

export async function budgetInWords(db: Db, budget: BudgetRow): Promise<Worded> {
  const limit = dollars(toUsd(limitOf(budget)))
  const reserved = budget.reserved_nanos === 0 ? '' : `, ${dollars(toUsd(budget.reserved_nanos))} are reserved`
  const state = `${dollars(toUsd(budget.spent_nanos))} of ${limit} are spent${reserved}`
  return { ...(await scopeOf(db, budget.id, limit)), state }
}

async function scopeOf(db: Db, id: string, limit: string): Promise<Pick<Worded, 'of' | 'limit'>> {
  const [kind, first = '', , ...name] = id.split(':')
  if (kind === 'turn') return { of: await turnOf(db, first), limit: `${limit} in one turn (limits.maxCostUsd)` }
  if (kind === 'task') return { of: `the task ${first}`, limit: `${limit} for the task ${first}` }
  if (kind === 'run') {
    const title = (await findRun(db, first))?.title ?? first
    return { of: `the run "${title}"`, limit: `${limit} for the run (its limits.maxCostUsd)` }
  }
  if (kind === 'agent') {
    const agent = name.join(':')
    const set = 'limits.dailyCostUsd of the agent'
    return { of: `the agent ${agent} on ${first}`, limit: `${limit} a day for the agent ${agent} (${set})` }
  }
  return { of: `all agents on ${first}`, limit: `${limit} a day for all agents (limits.dailyCostUsd)` }
}

async function turnOf(db: Db, turnId: string): Promise<string> {
  const turn = await findTurn(db, turnId)
  const session = turn && (await findSession(db, turn.session_id))
  return session === undefined ? 'one turn' : `the turn of ${await nameWithHandle(db, session)} and its children`
}

/** The budget of a day is a new one tomorrow. */
export const isOfDay = (id: string): boolean => /^(agent|day):/.test(id)
