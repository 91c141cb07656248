import { sql } from 'kysely'
import type { SessionId, TaskId } from '../contract/ids.ts'
import type { TaskPriority, TaskStatus } from '../contract/tasks.ts'
import type { SpentColumns, UsedColumns } from './request-tables.ts'
import { soundSum } from './sums.ts'
import type { Db, TaskRow } from './tables.ts'
import { spentSince } from './tasks.ts'

/** A task with what only its session and its owner know. */
export interface TaskView extends TaskRow {
  /** What its session has spent so far. The row has that only once the task has ended. */
  live: SpentColumns & UsedColumns
  iterations: number
  owner_agent: string | null
}

export interface TaskQuery {
  readonly project: string | '*'
  readonly status?: TaskStatus | undefined
  readonly agent?: string | undefined
  readonly tag?: string | undefined
  readonly run?: string | undefined
  readonly priority?: TaskPriority | undefined
  readonly parentTask?: TaskId | undefined
  readonly owner?: SessionId | undefined
  /** Only those that this session gave, and those below them. */
  readonly below?: SessionId | undefined
  readonly limit: number
  /** `createdAt.id` of the last one seen. */
  readonly cursor?: string | undefined
}

export async function selectTasks(db: Db, query: TaskQuery): Promise<TaskView[]> {
  let rows = viewed(db)
  if (query.project !== '*') rows = rows.where('tasks.project_id', '=', query.project)
  if (query.status !== undefined) rows = rows.where('tasks.status', '=', query.status)
  if (query.agent !== undefined) rows = rows.where('tasks.agent', '=', query.agent)
  if (query.priority !== undefined) rows = rows.where('tasks.priority', '=', query.priority)
  if (query.parentTask !== undefined) rows = rows.where('tasks.parent_task_id', '=', query.parentTask)
  if (query.owner !== undefined) rows = rows.where('tasks.owner_session_id', '=', query.owner)
  if (query.run !== undefined) {
    const members = db.selectFrom('sessions').select('id').where('run_id', '=', query.run)
    rows = rows.where('tasks.session_id', 'in', members)
  }
  if (query.tag !== undefined) {
    const like = `%"${query.tag.replace(/[\\%_]/g, '\\$&')}"%`
    rows = rows.where(sql<boolean>`tasks.tags like ${like} escape '\\'`)
  }
  if (query.below !== undefined) {
    rows = rows.where(
      sql<boolean>`tasks.id in (with recursive given (id) as (
        select id from tasks where owner_session_id = ${query.below}
        union select tasks.id from tasks join given on tasks.parent_task_id = given.id) select id from given)`,
    )
  }
  if (query.cursor !== undefined) {
    const [at = '0', id = ''] = query.cursor.split('.')
    rows = rows.where(sql<boolean>`(tasks.created_at, tasks.id) < (${Number(at)}, ${id})`)
  }
  const found = await rows.orderBy('tasks.created_at', 'desc').orderBy('tasks.id', 'desc').limit(query.limit).execute()
  return found.map(toView)
}

export async function findTaskView(db: Db, id: TaskId): Promise<TaskView | undefined> {
  const row = await viewed(db).where('tasks.id', '=', id).executeTakeFirst()
  return row && toView(row)
}

/** The task and those below it, by depth and then by age. */
export async function selectTree(
  db: Db,
  root: TaskId,
  { depth, limit }: { depth: number; limit: number },
): Promise<(TaskView & { depth: number })[]> {
  const { rows } = await sql<{ id: string; depth: number }>`with recursive tree (id, depth, created_at) as (
      select id, 0, created_at from tasks where id = ${root}
      union all
      select tasks.id, tree.depth + 1, tasks.created_at from tasks join tree on tasks.parent_task_id = tree.id
        where tree.depth < ${sql.lit(depth)})
    select id, depth from tree order by depth, created_at, id limit ${sql.lit(limit)}`.execute(db)
  const views = await viewed(db)
    .where(
      'tasks.id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  const byId = new Map(views.map((view) => [view.id, toView(view)]))
  return rows.flatMap(({ id, depth }) => {
    const view = byId.get(id)
    return view === undefined ? [] : [{ ...view, depth: Number(depth) }]
  })
}

const live = ['cost_usd', 'total_cost_usd', 'unpriced_tokens'] as const
const used = ['tokens_input', 'tokens_output', 'tokens_cached', 'tokens_reasoning'] as const

const viewed = (db: Db) =>
  db
    .selectFrom('tasks')
    .innerJoin('sessions', 'sessions.id', 'tasks.session_id')
    .leftJoin('sessions as owners', 'owners.id', 'tasks.owner_session_id')
    .selectAll('tasks')
    .select('owners.agent as owner_agent')
    .select([...live, ...used].map((column) => `sessions.${column} as live_${column}` as const))
    .select(
      sql<number>`(select coalesce(${soundSum('turns.iterations')}, 0) from turns where turns.session_id = tasks.session_id
        and turns.started_at >= tasks.created_at and (tasks.finished_at is null or turns.started_at <= tasks.finished_at))`.as(
        'iterations',
      ),
    )

type Viewed = Awaited<ReturnType<ReturnType<typeof viewed>['executeTakeFirstOrThrow']>>

const toView = (row: Viewed): TaskView => ({
  ...row,
  iterations: Number(row.iterations),
  live: spentSince(
    {
      cost_usd: row.live_cost_usd,
      total_cost_usd: row.live_total_cost_usd,
      unpriced_tokens: row.live_unpriced_tokens,
      tokens_input: row.live_tokens_input,
      tokens_output: row.live_tokens_output,
      tokens_cached: row.live_tokens_cached,
      tokens_reasoning: row.live_tokens_reasoning,
    },
    row,
  ),
})
