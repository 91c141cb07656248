import { sql } from 'kysely'
import type { RunRow } from './run-tables.ts'
import type { Db } from './tables.ts'

/** What was spent on a run: by its coordinator while it was open, by its workers, and by whatever these had others do. */
interface RunSpent {
  readonly costUsd: number
  readonly coordinatorCostUsd: number
  readonly unpricedTokens: number
}

type Sums = { cost: number | null; own: number | null; unpriced: number | null }

export async function spentIn(db: Db, { session_id, created_at, ended_at }: RunRow): Promise<RunSpent> {
  const until = ended_at === null ? sql`` : sql`and requests.at <= ${ended_at}`
  const { rows } = await sql<Sums>`with recursive tree (id) as (
      select id from sessions where id = ${session_id}
      union select sessions.id from sessions join tree on sessions.parent_session_id = tree.id)
    select sum(cost_usd) as cost, sum(case when session_id = ${session_id} then cost_usd end) as own,
      sum(case when cost_usd is null then tokens_input + tokens_output end) as unpriced
    from requests join tree on tree.id = requests.session_id
    where requests.at >= ${created_at} ${until}`.execute(db)
  const [sums] = rows
  return {
    costUsd: Number(sums?.cost ?? 0),
    coordinatorCostUsd: Number(sums?.own ?? 0),
    unpricedTokens: Number(sums?.unpriced ?? 0),
  }
}
