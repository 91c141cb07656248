import { sql } from 'kysely'
import type { Db } from './tables.ts'

export interface SpentRow {
  readonly agent: string
  readonly model: string
  /** Milliseconds: the beginning of the hour it was spent in. */
  readonly hour: number
  readonly messages: number
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly reasoning: number
  readonly costUsd: number
  /** Tokens whose price nobody knows. */
  readonly unpriced: number
}

const HOUR = 3_600_000

/** What answers cost, by agent, model and hour; the caller adds hours up to its own days. */
export async function selectSpent(
  db: Db,
  filter: { readonly project: string | '*'; readonly since: number | undefined; readonly limit: number },
): Promise<SpentRow[]> {
  const hour = sql<number>`messages.created_at - messages.created_at % ${sql.lit(HOUR)}`
  let query = db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .select(({ fn }) => [
      'sessions.agent',
      'messages.model',
      hour.as('hour'),
      fn.countAll().as('messages'),
      fn.sum('messages.tokens_input').as('input'),
      fn.sum('messages.tokens_output').as('output'),
      fn.sum('messages.tokens_cached').as('cached'),
      fn.sum('messages.tokens_reasoning').as('reasoning'),
      fn.sum('messages.cost_usd').as('cost'),
      sql<number>`sum(case when messages.cost_usd is null then messages.tokens_input + messages.tokens_output else 0 end)`.as(
        'unpriced',
      ),
    ])
    .where('messages.model', 'is not', null)
    .where('messages.tokens_input', 'is not', null)
    .groupBy(['sessions.agent', 'messages.model', hour])
    .orderBy('hour', 'desc')
    .limit(filter.limit)
  if (filter.project !== '*') query = query.where('sessions.project_id', '=', filter.project)
  if (filter.since !== undefined) query = query.where('messages.created_at', '>=', filter.since)
  return (await query.execute()).map((row) => ({
    agent: row.agent,
    model: row.model ?? '',
    hour: Number(row.hour),
    messages: Number(row.messages),
    input: Number(row.input ?? 0),
    output: Number(row.output ?? 0),
    cached: Number(row.cached ?? 0),
    reasoning: Number(row.reasoning ?? 0),
    costUsd: Number(row.cost ?? 0),
    unpriced: Number(row.unpriced ?? 0),
  }))
}
