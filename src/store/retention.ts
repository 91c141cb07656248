import { sql } from 'kysely'
import type { SessionId, TaskId } from '../contract/ids.ts'
import { isPostgres } from './drivers/dialect.ts'
import { atMost } from './drivers/limit.ts'
import type { Db, SessionRow, SubscriptionRow, Tables, TaskRow } from './tables.ts'

/** Queries by which old rows leave the database. */

/** What a session leaves to the archive, in this order, and the columns that put the rows of each table in order. */
export const archivedOf = {
  messages: ['seq'],
  tombstones: ['seq', 'version'],
  mail: ['position'],
  turns: ['started_at', 'id'],
  inbox: ['created_at', 'id'],
  todos: ['session_id'],
} as const

/** What only a session that can go on needs; the log tells the rest of it. */
export const droppedOf = ['calls', 'seen', 'prompts', 'compactions', 'grants', 'log_notes'] as const

export type ArchivedTable = keyof typeof archivedOf

/** Nothing is open or on its way there, and no person wants it at hand. */
const atRest = sql<boolean>`status in ('idle', 'error', 'closed') and turn_id is null and wanted_at is null
  and lease_owner is null and signal is null and pinned_at is null
  and not exists (select 1 from runs where runs.id = sessions.run_id and runs.ended_at is null)
  and not exists (select 1 from timers where timers.session_id = sessions.id)
  and not exists (select 1 from reservations where reservations.session_id = sessions.id)
  and not exists (select 1 from calls where calls.session_id = sessions.id and calls.state <> 'done')
  and not exists (select 1 from inbox where inbox.session_id = sessions.id and inbox.status = 'open')
  and not exists (select 1 from mail where mail.session_id = sessions.id
    and mail.state in ('queued', 'held', 'suppressed'))
  and not exists (select 1 from tasks where tasks.status in ('pending', 'processing', 'waiting')
    and (tasks.session_id = sessions.id or tasks.parent_session_id = sessions.id))`

/** Sessions at rest that nothing has touched since then, the oldest first. */
export async function restingSessions(db: Db, before: number, limit: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('updated_at', '<', before)
    .where(atRest)
    .orderBy('updated_at')
    .limit(atMost(limit))
    .execute()
}

export async function isResting(db: Db, { id, updated_at }: SessionRow): Promise<boolean> {
  const found = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('updated_at', '=', updated_at)
    .where('deleted_at', 'is', null)
    .where(atRest)
    .executeTakeFirst()
  return found !== undefined
}

/** When the first session was last touched that is one too many; undefined while there are not so many. */
export async function firstSessionBeyond(db: Db, count: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select('updated_at')
    .where('deleted_at', 'is', null)
    .orderBy('updated_at', 'desc')
    .offset(count)
    .limit(atMost(1))
    .executeTakeFirst()
  return row?.updated_at
}

/** One page of the rows that a session has in a table. */
export async function rowsOfSession<T extends ArchivedTable>(
  db: Db,
  table: T,
  id: SessionId,
  { offset, limit }: { offset: number; limit: number },
): Promise<Tables[T][]> {
  const order = sql.raw(archivedOf[table].join(', '))
  const { rows } = await sql<Tables[T]>`select * from ${sql.table(table)} where session_id = ${id}
    order by ${order} limit ${limit} offset ${offset}`.execute(db)
  return rows
}

/** Everything of a session but its row, by which its handle never comes to mean another, and what it cost. */
export async function emptySession(db: Db, id: SessionId): Promise<void> {
  for (const table of [...(Object.keys(archivedOf) as ArchivedTable[]), ...droppedOf]) {
    await db.deleteFrom(table).where('session_id', '=', id).execute()
  }
}

/** Sessions that a person deleted before then and that still have a log. */
export async function deletedSessions(db: Db, before: number, limit: number): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('deleted_at', '<', before)
    .where((of) =>
      of.or(
        (['messages', 'mail', 'turns'] as const).map((table) =>
          of.exists(of.selectFrom(table).select('session_id').whereRef(`${table}.session_id`, '=', 'sessions.id')),
        ),
      ),
    )
    .limit(atMost(limit))
    .execute()
  return rows.map(({ id }) => id)
}

/** Everyone was told how it ended. A task stays as long as one below it does, so that a tree is never without its root. */
const isOver = sql<boolean>`status in ('finished', 'failed', 'canceled')
  and not exists (select 1 from subscriptions where subscriptions.task_id = tasks.id
    and subscriptions.state in ('open', 'silent'))
  and not exists (select 1 from tasks as below where below.parent_task_id = tasks.id)`

/** Tasks that are over since before then, the oldest first. */
export async function endedTasks(db: Db, before: number, limit: number): Promise<TaskRow[]> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('finished_at', '<', before)
    .where(isOver)
    .orderBy('finished_at')
    .limit(atMost(limit))
    .execute()
}

/** When the first ended task ended that is one too many. */
export async function firstTaskBeyond(db: Db, count: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('tasks')
    .select('finished_at')
    .where('finished_at', 'is not', null)
    .orderBy('finished_at', 'desc')
    .offset(count)
    .limit(atMost(1))
    .executeTakeFirst()
  return row?.finished_at ?? undefined
}

export async function subscriptionsTo(db: Db, ids: readonly TaskId[]): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('task_id', 'in', [...ids])
    .execute()
}

/** How many of these tasks were there to be removed and are over still: a person may have had one tried again. */
export async function removeTasks(db: Db, ids: readonly TaskId[], before: number): Promise<number> {
  const rows = db
    .selectFrom('tasks')
    .select('id')
    .where('id', 'in', [...ids])
    .where('finished_at', '<', before)
    .where(isOver)
  const over = (await (isPostgres(db) ? rows.forUpdate() : rows).execute()).map(({ id }) => id)
  if (over.length === 0) return 0
  await db.deleteFrom('subscriptions').where('task_id', 'in', over).execute()
  await db.deleteFrom('tasks').where('id', 'in', over).execute()
  return over.length
}

/** Forgets who was told of a task's end before then; those who could not be told stay with the task. */
export async function removeToldSubscriptions(db: Db, before: number): Promise<void> {
  const ended = db.selectFrom('tasks').select('id').where('finished_at', '<', before)
  await db.deleteFrom('subscriptions').where('state', '=', 'told').where('task_id', 'in', ended).execute()
}

/** Forgets budgets of days that are over, of turns that have ended and of tasks that are archived. */
export async function removeBudgets(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('budgets')
    .where('created_at', '<', before)
    .where('reserved_nanos', '=', 0)
    .where('inbox_id', 'is', null)
    .where(
      sql<boolean>`not exists (select 1 from tasks where tasks.id = substr(budgets.id, 6) and budgets.id like 'task:%')
        and not exists (select 1 from turns where turns.ended_at is null
          and (turns.budget_id = budgets.id or (turns.id = substr(budgets.id, 6) and budgets.id like 'turn:%')))`,
    )
    .execute()
}

interface OldEvent {
  readonly id: number
  readonly at: number
}

/** The oldest events, in the order of the record. Only a beginning can be removed: readers are told where it ends. */
export async function oldestEvents(db: Db, limit: number): Promise<OldEvent[]> {
  return db
    .selectFrom('events')
    .selectAll()
    .orderBy(isPostgres(db) ? sql`xid, id` : sql`id`)
    .limit(atMost(limit))
    .execute()
}

export async function countEvents(db: Db): Promise<number> {
  const row = await db.selectFrom('events').select(db.fn.countAll().as('count')).executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function removeEvents(db: Db, ids: readonly number[]): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('id', 'in', [...ids])
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export async function hasAny(db: Db, table: 'sessions' | 'runs' | 'tasks' | 'events', id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} where id = ${table === 'events' ? Number(id) : id}
    ${table === 'sessions' ? sql`and deleted_at is null` : sql``}`.execute(db)
  return rows.length > 0
}
