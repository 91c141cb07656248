import { type RawBuilder, sql } from 'kysely'
import type { Spent } from '../contract/cost.ts'
import type { SessionId, TaskId } from '../contract/ids.ts'
import type { TaskStatus } from '../contract/tasks.ts'
import { spentOf } from './cost.ts'
import { isPostgres } from './drivers/dialect.ts'
import { prepared } from './drivers/prepared.ts'
import { readObject } from './drivers/unreadable.ts'
import type { SpentColumns, UsedColumns } from './request-tables.ts'
import { handleOf } from './sessions.ts'
import type { Db, SubscriptionRow, TaskRow } from './tables.ts'
import type { SubscriptionState } from './task-tables.ts'

/** Word for word the condition of the index `tasks_open`. */
const open = sql<boolean>`status in ('pending', 'processing', 'waiting')`

export const hasEnded = ({ status }: Pick<TaskRow, 'status'>): boolean =>
  ['finished', 'failed', 'canceled'].includes(status)

/** What a session has spent since one of its tasks was made. */
export function spentSince(
  now: SpentColumns & UsedColumns,
  { id, spent_before }: Pick<TaskRow, 'id' | 'spent_before'>,
): SpentColumns & UsedColumns {
  const before = readObject<SpentColumns & UsedColumns>(
    { table: 'tasks', key: id, column: 'spent_before' },
    spent_before,
  )
  const since = (column: keyof (SpentColumns & UsedColumns)): number => now[column] - (before[column] ?? 0)
  return {
    cost_usd: since('cost_usd'),
    total_cost_usd: since('total_cost_usd'),
    unpriced_tokens: since('unpriced_tokens'),
    tokens_input: since('tokens_input'),
    tokens_output: since('tokens_output'),
    tokens_cached: since('tokens_cached'),
    tokens_reasoning: since('tokens_reasoning'),
  }
}

export async function insertTask(db: Db, row: TaskRow): Promise<void> {
  await insertRow(db, row)
}

const insertRow = prepared((db, row: TaskRow) => db.insertInto('tasks').values(row))

export async function findTask(db: Db, id: TaskId): Promise<TaskRow | undefined> {
  return (await selectById(db, id))[0]
}

const selectById = prepared((db, id: TaskId) => db.selectFrom('tasks').selectAll().where('id', '=', id))

/** What hangs on the session of a task that ends, as counts of none or some. */
export interface TaskTies {
  readonly open_tasks: number
  readonly children: number
  readonly waiting_mail: number
}

/** A task and its ties in one look: mostly there are none, and nothing else has to be read. */
export async function findTaskWithTies(db: Db, id: TaskId): Promise<(TaskRow & TaskTies) | undefined> {
  return (await selectWithTies(db, id))[0]
}

const some = (rows: RawBuilder<unknown>) => sql<number>`case when exists (${rows}) then 1 else 0 end`

const selectWithTies = prepared((db, id: TaskId) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .select([
      some(sql`select 1 from tasks given where given.parent_session_id = tasks.session_id
        and given.status in ('pending', 'processing', 'waiting')`).as('open_tasks'),
      some(sql`select 1 from sessions child where child.parent_session_id = tasks.session_id
        and child.deleted_at is null`).as('children'),
      // The first condition is word for word that of the index `mail_waiting`.
      some(sql`select 1 from mail where mail.session_id = tasks.session_id
        and state in ('queued', 'held', 'suppressed') and state <> 'suppressed'`).as('waiting_mail'),
    ])
    .where('id', '=', id),
)

/** Its status stays as it is until the transaction ends; on SQLite the transaction itself is the lock. */
export async function lockTask(db: Db, id: TaskId): Promise<TaskRow | undefined> {
  const row = db.selectFrom('tasks').selectAll().where('id', '=', id)
  return (isPostgres(db) ? row.forShare() : row).executeTakeFirst()
}

/** After so many tasks above it the search ends. */
const HIGHEST = 100

/** Whether the session gave this task, or one above it. */
export async function isGivenBy(db: Db, sessionId: SessionId, task: TaskRow): Promise<boolean> {
  let above: TaskRow | undefined = task
  for (let height = 0; above !== undefined && height < HIGHEST; height++) {
    if (above.owner_session_id === sessionId) return true
    above = above.parent_task_id === null ? undefined : await findTask(db, above.parent_task_id)
  }
  return false
}

/** A call makes its task once, however often it is run. */
export async function findTaskByCall(db: Db, owner: SessionId, callId: string): Promise<TaskRow | undefined> {
  return (await selectByCall(db, owner, callId))[0]
}

const selectByCall = prepared((db, owner: SessionId, callId: string) =>
  db.selectFrom('tasks').selectAll().where('owner_session_id', '=', owner).where('call_id', '=', callId),
)

export async function findTaskByClient(db: Db, projectId: string, clientId: string): Promise<TaskRow | undefined> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

export async function updateTask(db: Db, id: TaskId, change: Partial<TaskRow>): Promise<void> {
  await updateById(db, id, change)
}

const updateById = prepared((db, id: TaskId, change: Partial<TaskRow>) =>
  db.updateTable('tasks').set(change).where('id', '=', id),
)

export async function countTasksInChain(db: Db, chainId: string): Promise<number> {
  const [row] = await countInChain(db, chainId)
  return Number(row?.count)
}

const countInChain = prepared((db, chainId: string) =>
  db.selectFrom('tasks').select(db.fn.countAll().as('count')).where('chain_id', '=', chainId),
)

/** The tasks that a session gave to others and that have not ended. */
export async function openTasksOf(db: Db, parent: SessionId): Promise<TaskRow[]> {
  return selectOpen(db, parent)
}

const selectOpen = prepared((db, parent: SessionId) =>
  db.selectFrom('tasks').selectAll().where('parent_session_id', '=', parent).where(open),
)

/** A session hears of a task's end once: by the call that waits for it, or by mail. */
export async function putSubscription(db: Db, row: SubscriptionRow): Promise<void> {
  await upsertSubscription(db, row)
}

const upsertSubscription = prepared((db, row: SubscriptionRow) =>
  db
    .insertInto('subscriptions')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['task_id', 'session_id']).doUpdateSet({
        call_id: row.call_id,
        any_of: row.any_of,
        state: sql<SubscriptionState>`case when subscriptions.state = 'silent' then 'open' else subscriptions.state end`,
      }),
    ),
)

export async function findSubscription(
  db: Db,
  taskId: TaskId,
  sessionId: SessionId,
): Promise<SubscriptionRow | undefined> {
  return (await selectSubscription(db, taskId, sessionId))[0]
}

const selectSubscription = prepared((db, taskId: TaskId, sessionId: SessionId) =>
  db.selectFrom('subscriptions').selectAll().where('task_id', '=', taskId).where('session_id', '=', sessionId),
)

export async function subscriptionsOf(db: Db, taskId: TaskId): Promise<SubscriptionRow[]> {
  return selectToTell(db, taskId)
}

const selectToTell = prepared((db, taskId: TaskId) =>
  db.selectFrom('subscriptions').selectAll().where('task_id', '=', taskId).where('state', 'in', ['open', 'silent']),
)

export async function countSubscriptions(db: Db, taskId: TaskId): Promise<number> {
  const row = await db
    .selectFrom('subscriptions')
    .select(db.fn.countAll().as('count'))
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function subscriptionsOfCall(db: Db, callId: string): Promise<SubscriptionRow[]> {
  return db.selectFrom('subscriptions').selectAll().where('call_id', '=', callId).execute()
}

export async function updateSubscription(
  db: Db,
  { task_id, session_id }: Pick<SubscriptionRow, 'task_id' | 'session_id'>,
  change: Partial<SubscriptionRow>,
): Promise<void> {
  await updateByKey(db, task_id, session_id, change)
}

const updateByKey = prepared((db, taskId: TaskId, sessionId: SessionId, change: Partial<SubscriptionRow>) =>
  db.updateTable('subscriptions').set(change).where('task_id', '=', taskId).where('session_id', '=', sessionId),
)

export interface TaskOutcome extends Spent {
  readonly taskId: string
  readonly agent: string
  readonly session: string
  readonly status: TaskStatus
  readonly output?: string
  readonly error?: string
  readonly durationMs: number
}

/** A task as agents see it. */
export async function toOutcome(db: Db, task: TaskRow, now: number): Promise<TaskOutcome> {
  return {
    taskId: task.id,
    agent: task.agent,
    session: await handleOf(db, task.project_id, task.session_id),
    status: task.status,
    ...(task.output === null ? {} : { output: task.output }),
    ...(task.error === null ? {} : { error: task.error }),
    durationMs: (task.finished_at ?? now) - (task.started_at ?? now),
    ...spentOf(task),
  }
}

/** What somebody waits for: the wait goes on until one of these sessions has done its part. */
export interface WaitEdge {
  readonly from: SessionId
  readonly to: readonly SessionId[]
}

/** Whose tasks these sessions wait for: in a call, or because their own task cannot end before those of their children. */
export async function waitsForTasks(db: Db, sessions: readonly SessionId[]): Promise<WaitEdge[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .innerJoin('tasks', 'tasks.id', 'subscriptions.task_id')
    .select(['subscriptions.session_id as from', 'tasks.session_id as to', 'tasks.status'])
    .select(['subscriptions.call_id', 'subscriptions.any_of', 'subscriptions.state'])
    .where('subscriptions.session_id', 'in', [...sessions])
    .where(sql<boolean>`(subscriptions.state = 'open' or subscriptions.call_id is not null)`)
    .execute()
  const open = rows.filter((row) => row.state === 'open' && !hasEnded(row))
  const held = open.some(({ call_id }) => call_id === null) ? await holdingTasks(db, sessions) : []
  const each = open.filter(({ from, call_id, any_of }) => (call_id === null ? held.includes(from) : any_of === 0))
  const choices = Map.groupBy(
    rows.filter(({ call_id, any_of }) => call_id !== null && any_of === 1),
    ({ call_id }) => call_id,
  )
  return [
    ...each.map(({ from, to }) => ({ from, to: [to] })),
    // One that has ended ends the wait.
    ...[...choices.values()]
      .filter((choice) => !choice.some(hasEnded))
      .map((choice) => ({ from: choice[0]!.from, to: choice.map(({ to }) => to) })),
  ]
}

/** Sessions whose turn is over and whose task waits for the tasks that they gave. */
async function holdingTasks(db: Db, sessions: readonly SessionId[]): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('session_id')
    .where('session_id', 'in', [...sessions])
    .where('status', '=', 'waiting')
    .execute()
  return rows.map(({ session_id }) => session_id)
}
