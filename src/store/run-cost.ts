import { sql } from 'kysely'
import type { NodeId, SessionId } from '../contract/ids.ts'
import { type SpentFilter, type SpentSums, spentColumns, toSums } from './cost.ts'
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

/** What was spent while a run was open: on each node, helpers included, and by each worker itself. */
export interface MemberCosts {
  readonly ofNode: ReadonlyMap<NodeId, number>
  readonly ofSession: ReadonlyMap<SessionId, number>
}

export async function costsOf(
  db: Db,
  { id, created_at, ended_at }: Pick<RunRow, 'id' | 'created_at' | 'ended_at'>,
  sessions: readonly SessionId[],
): Promise<MemberCosts> {
  const [ofNode, ofSession] = [new Map<NodeId, number>(), new Map<SessionId, number>()]
  if (sessions.length === 0) return { ofNode, ofSession }
  let rows = db
    .selectFrom('requests')
    .select(['session_id', 'node_id', db.fn.sum<number | null>('cost_usd').as('cost')])
    .where('session_id', 'in', sessions)
    .where('at', '>=', created_at)
  if (ended_at !== null) rows = rows.where('at', '<=', ended_at)
  for (const { session_id, node_id, cost } of await rows.groupBy(['session_id', 'node_id']).execute()) {
    if (cost === null) continue
    ofSession.set(session_id, (ofSession.get(session_id) ?? 0) + Number(cost))
    if (node_id !== null) ofNode.set(node_id, (ofNode.get(node_id) ?? 0) + Number(cost))
  }
  for (const { node_id, cost } of await ofHelpers(db, { id, created_at, ended_at }))
    ofNode.set(node_id, (ofNode.get(node_id) ?? 0) + Number(cost))
  return { ofNode, ofSession }
}

/** What the tasks below the task of a node cost, without those that are nodes themselves. */
async function ofHelpers(
  db: Db,
  { id, created_at, ended_at }: Pick<RunRow, 'id' | 'created_at' | 'ended_at'>,
): Promise<readonly { node_id: NodeId; cost: number }[]> {
  const until = ended_at === null ? sql`` : sql`and requests.at <= ${ended_at}`
  const { rows } = await sql<{ node_id: NodeId; cost: number }>`with recursive below (task_id, session_id, node_id) as (
      select tasks.id, tasks.session_id, nodes.id from nodes join tasks on tasks.node_id = nodes.id where nodes.run_id = ${id}
      union select tasks.id, tasks.session_id, below.node_id from tasks join below on tasks.parent_task_id = below.task_id
        where tasks.node_id is null)
    select below.node_id as node_id, sum(requests.cost_usd) as cost from below
      join tasks on tasks.id = below.task_id and tasks.node_id is null
      join requests on requests.session_id = below.session_id
    where requests.cost_usd is not null and requests.at >= ${created_at} ${until}
    group by below.node_id`.execute(db)
  return rows
}

interface RunSums extends SpentSums {
  /** Null for what belongs to no run. */
  readonly run: string | null
  readonly title: string | null
}

/** What requests used, by run. One below two coordinators belongs to the nearer one, so that each counts once. */
export async function selectSpentByRun(db: Db, filter: SpentFilter): Promise<RunSums[]> {
  let query = db
    .withRecursive('tree(top, id)', (one) =>
      one
        .selectFrom('runs')
        .select(['runs.session_id as top', 'runs.session_id as id'])
        .union(
          one
            .selectFrom('sessions')
            .innerJoin('tree', 'tree.id', 'sessions.parent_session_id')
            .select(['tree.top', 'sessions.id'])
            .where(sql<boolean>`not exists (select 1 from runs where runs.session_id = sessions.id)`),
        ),
    )
    .selectFrom('requests')
    .innerJoin('sessions', 'sessions.id', 'requests.session_id')
    .leftJoin('tree', 'tree.id', 'requests.session_id')
    .leftJoin('runs', (join) =>
      join
        .onRef('runs.session_id', '=', 'tree.top')
        .onRef('requests.at', '>=', 'runs.created_at')
        .on(sql<boolean>`(runs.ended_at is null or requests.at <= runs.ended_at)`),
    )
    .select(['runs.id as run', 'runs.title', ...spentColumns()])
    .groupBy(['runs.id', 'runs.title'])
    .orderBy('runs.id', 'desc')
    .limit(filter.limit)
  if (filter.project !== '*') query = query.where('sessions.project_id', '=', filter.project)
  if (filter.since !== undefined) query = query.where('requests.at', '>=', filter.since)
  return (await query.execute()).map((row) => ({ run: row.run, title: row.title, ...toSums(row) }))
}
