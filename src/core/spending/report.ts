import type { Cost, CostBy } from '../../contract/cost.ts'
import { noTokens } from '../../contract/messages.ts'
import { type SpentSums, selectSpent } from '../../store/cost.ts'
import { selectSpentByRun } from '../../store/run-cost.ts'
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
  const filter = { project, since, limit: ROWS }
  if (by === 'run') return (await costsOfRuns(db, filter)).sort(largestFirst)
  const rows = await selectSpent(db, filter)
  const groups = new Map<string, Cost>()
  for (const row of rows) {
    const key = by === 'day' ? dayOf(row.quarter) : row[by]
    groups.set(key, add(groups.get(key) ?? nothing(key), row))
  }
  const items = [...groups.values()]
  if (by === 'day') return items.sort((a, b) => (a.key < b.key ? 1 : -1))
  return items.sort(largestFirst)
}

const costsOfRuns = async (db: Db, filter: Parameters<typeof selectSpentByRun>[1]): Promise<Cost[]> =>
  (await selectSpentByRun(db, filter)).map(({ run, title, ...sums }) => ({
    ...add(nothing(run ?? ''), sums),
    ...(title === null ? {} : { title }),
  }))

const largestFirst = (a: Cost, b: Cost): number => b.costUsd - a.costUsd || sizeOf(b) - sizeOf(a)

const nothing = (key: string): Cost => ({
  key,
  messages: 0,
  tokens: noTokens,
  costUsd: 0,
  unpricedTokens: 0,
})

const add = (sum: Cost, row: SpentSums): Cost => ({
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
