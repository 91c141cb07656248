import type { Cost, CostBy } from '../../contract/cost.ts'
import { noTokens } from '../../contract/messages.ts'
import { type SpentRow, selectSpent } from '../../store/cost.ts'
import type { Db } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { dayOf } from './money.ts'

/** How many rows are added up, one per agent, model and quarter of an hour; older rows are left out. */
const ROWS = 50_000

interface CostQuery {
  readonly project: string | '*'
  readonly by: CostBy
  readonly since?: number | undefined
}

/** What was spent, the largest sum first. Days are the server's local days, the newest first. */
export async function costs(core: Core, { project, by, since }: CostQuery, db: Db = core.store.read): Promise<Cost[]> {
  const rows = await selectSpent(db, { project, since, limit: ROWS })
  const groups = new Map<string, Cost>()
  for (const row of rows) {
    const key = by === 'day' ? dayOf(row.quarter) : row[by]
    groups.set(key, add(groups.get(key) ?? nothing(key), row))
  }
  const items = [...groups.values()]
  if (by === 'day') return items.sort((a, b) => (a.key < b.key ? 1 : -1))
  return items.sort((a, b) => b.costUsd - a.costUsd || sizeOf(b) - sizeOf(a))
}

const nothing = (key: string): Cost => ({
  key,
  messages: 0,
  tokens: noTokens,
  costUsd: 0,
  unpricedTokens: 0,
})

const add = (sum: Cost, row: SpentRow): Cost => ({
  key: sum.key,
  messages: sum.messages + row.messages,
  tokens: {
    input: sum.tokens.input + row.input,
    output: sum.tokens.output + row.output,
    cached: sum.tokens.cached + row.cached,
    reasoning: sum.tokens.reasoning + row.reasoning,
  },
  costUsd: sum.costUsd + row.costUsd,
  unpricedTokens: sum.unpricedTokens + row.unpriced,
})

const sizeOf = ({ tokens }: Cost): number => tokens.input + tokens.output
