import { sql } from 'kysely'
import type { Spent } from '../contract/cost.ts'
import { prepared } from './drivers/prepared.ts'
import { isSound, sound, soundSum } from './sums.ts'
import type { Db, RequestRow, SessionRow } from './tables.ts'

interface SpentRow extends SpentSums {
  readonly agent: string
  readonly model: string
  /** When the quarter of an hour began in which it was spent, in milliseconds. */
  readonly quarter: number
}

export interface SpentSums {
  readonly messages: number
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly reasoning: number
  readonly costUsd: number
  /** Tokens whose price nobody knows. */
  readonly unpriced: number
}

/** In every time zone a day begins at a full quarter of an hour of UTC. */
const QUARTER = 15 * 60_000

export const insertRequest = prepared((db, row: RequestRow) => db.insertInto('requests').values(row))

/** What requests used, by agent, model and quarter of an hour; the caller adds the quarters up to days of its zone. */
export async function selectSpent(db: Db, filter: SpentFilter): Promise<SpentRow[]> {
  const quarter = sql<number>`requests.at - requests.at % ${sql.lit(QUARTER)}`
  let query = db
    .selectFrom('requests')
    .innerJoin('sessions', 'sessions.id', 'requests.session_id')
    .select(['sessions.agent', 'requests.model', quarter.as('quarter'), ...spentColumns()])
    .groupBy(['sessions.agent', 'requests.model', quarter])
    .orderBy('quarter', 'desc')
    .limit(filter.limit)
  if (filter.project !== '*') query = query.where('sessions.project_id', '=', filter.project)
  if (filter.since !== undefined) query = query.where('requests.at', '>=', filter.since)
  return (await query.execute()).map((row) => ({
    agent: row.agent,
    model: row.model,
    quarter: Number(row.quarter),
    ...toSums(row),
  }))
}

export interface SpentFilter {
  readonly project: string | '*'
  readonly since: number | undefined
  readonly limit: number
}

export const spentColumns = () =>
  [
    sql<number>`sum(case when requests.outcome = 'answered' then 1 else 0 end)`.as('messages'),
    soundSum('requests.tokens_input').as('input'),
    soundSum('requests.tokens_output').as('output'),
    soundSum('requests.tokens_cached').as('cached'),
    soundSum('requests.tokens_reasoning').as('reasoning'),
    soundSum('requests.cost_usd').as('cost'),
    unpriced.as('unpriced'),
  ] as const

type Summed = Record<'messages' | 'input' | 'output' | 'cached' | 'reasoning' | 'cost' | 'unpriced', unknown>

export const toSums = (row: Summed): SpentSums => ({
  messages: Number(row.messages),
  input: Number(row.input),
  output: Number(row.output),
  cached: Number(row.cached),
  reasoning: Number(row.reasoning),
  costUsd: Number(row.cost ?? 0),
  unpriced: Number(row.unpriced),
})

/** What all requests since then cost; each request counts once. */
export async function sumSince(
  db: Db,
  since: number,
  project: string | '*',
): Promise<{ costUsd: number; unpricedTokens: number }> {
  const all = db
    .selectFrom('requests')
    .select([soundSum('requests.cost_usd').as('cost'), unpriced.as('unpriced')])
    .where('requests.at', '>=', since)
  const here = all
    .innerJoin('sessions', 'sessions.id', 'requests.session_id')
    .where('sessions.project_id', '=', project)
  const row = await (project === '*' ? all : here).executeTakeFirstOrThrow()
  return { costUsd: Number(row.cost ?? 0), unpricedTokens: Number(row.unpriced ?? 0) }
}

/** What an agent's requests since then cost, in one project or, for null, in all. */
export async function sumOfAgent(db: Db, since: number, agent: string, project: string | null): Promise<number> {
  const all = db
    .selectFrom('requests')
    .innerJoin('sessions', 'sessions.id', 'requests.session_id')
    .select(soundSum('requests.cost_usd').as('cost'))
    .where('requests.at', '>=', since)
    .where('sessions.agent', '=', agent)
  const row = await (project === null ? all : all.where('sessions.project_id', '=', project)).executeTakeFirstOrThrow()
  return Number(row.cost ?? 0)
}

/** A price that cannot be read is not known either. */
const unpriced = sql<number>`sum(case when ${isSound('requests.cost_usd')} then 0 else ${sound('requests.tokens_input')} + ${sound('requests.tokens_output')} end)`

export const spentOf = (row: Pick<SessionRow, 'cost_usd' | 'total_cost_usd' | 'unpriced_tokens'>): Spent => ({
  costUsd: row.cost_usd,
  totalCostUsd: row.total_cost_usd,
  unpricedTokens: row.unpriced_tokens,
})
