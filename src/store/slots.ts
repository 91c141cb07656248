import { sql } from 'kysely'
import type { SessionId, TaskId } from '../contract/ids.ts'
import { isPostgres } from './drivers/dialect.ts'
import { prepared } from './drivers/prepared.ts'
import { runsOn } from './hosts.ts'
import type { Db, TaskRow } from './tables.ts'
import { findTask } from './tasks.ts'

/**
 * How many tasks run at once: a task that is processing holds a slot; the others stand in line for one. Each host counts
 * those that it can run, so that one that is away holds nobody up.
 */

/** Any constant works; whoever gives out slots takes the same one. */
const SLOTS_LOCK = 7_262_108_156

/**
 * The task of a session that is claimed. Where it needs a slot, whoever else gives one out waits from here on until this
 * transaction ends; on SQLite the transaction itself is the lock.
 */
export async function findForSlot(db: Db, id: TaskId): Promise<TaskRow | undefined> {
  return isPostgres(db) ? (await selectLocking(db, id))[0] : findTask(db, id)
}

const selectLocking = prepared((db, id: TaskId) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .select(
      sql`case when status in ('pending', 'waiting') then pg_advisory_xact_lock(${SLOTS_LOCK}::bigint)::text end`.as(
        'lock',
      ),
    )
    .where('id', '=', id),
)

/** Counts tasks that are processing. A task whose session is no longer wanted holds no slot, whatever the cause. */
export async function countSlotsTaken(db: Db, host: string): Promise<number> {
  const [row] = await countTaken(db, host)
  return Number(row?.count)
}

const taken = (db: Db, host: string) =>
  db
    .selectFrom('tasks')
    .innerJoin('sessions', 'sessions.id', 'tasks.session_id')
    .select(db.fn.countAll().as('count'))
    .where('tasks.status', '=', 'processing')
    // Word for word the condition of the index `tasks_open`, so that the index is used.
    .where(sql<boolean>`tasks.status in ('pending', 'processing', 'waiting')`)
    .where('sessions.wanted_at', 'is not', null)
    .where(runsOn(host))

const countTaken = prepared(taken)

const rank = sql<number>`case tasks.priority when 'high' then 0 when 'low' then 2 else 1 end`
const ranks: Record<string, number> = { high: 0, low: 2 }

/** How many stand in line before this task. */
export async function countBefore(db: Db, host: string, task: InLine): Promise<number> {
  const [row] = await countEarlier(db, host, placeOf(task))
  return Number(row?.count)
}

/** Gives a task a slot, unless they are all taken or kept for those who stand in line before it. */
export async function takeSlot(
  db: Db,
  host: string,
  task: InLine,
  { slots, now }: { readonly slots: number; readonly now: number },
): Promise<boolean> {
  return (await takeIfFree(db, host, placeOf(task), slots, now)).length > 0
}

type InLine = Pick<TaskRow, 'id' | 'priority' | 'created_at'>
type LinePlace = { readonly rank: number; readonly at: number; readonly id: string }

const placeOf = ({ id, priority, created_at }: InLine): LinePlace => ({
  rank: ranks[priority] ?? 1,
  at: created_at,
  id,
})

const earlier = (db: Db, host: string, task: LinePlace) =>
  inLine(db, host)
    .select(db.fn.countAll().as('count'))
    .where(sql<boolean>`(${rank}, tasks.created_at, tasks.id) < (${task.rank}, ${task.at}, ${task.id})`)

const countEarlier = prepared(earlier)
const takeIfFree = prepared((db, host: string, task: LinePlace, slots: number, now: number) =>
  db
    .updateTable('tasks')
    .set({ status: 'processing', started_at: sql<number>`coalesce(started_at, ${now})`, updated_at: now })
    .where('id', '=', task.id)
    .where(sql<boolean>`(${taken(db, host)}) + (${earlier(db, host, task)}) < ${slots}`)
    .returning('id'),
)

/** The first in line, by priority and then by age; tasks that begin and tasks that go on count the same. */
export async function firstInLine(db: Db, host: string, limit: number): Promise<SessionId[]> {
  const rows = await inLine(db, host)
    .select('sessions.id')
    .orderBy(rank)
    .orderBy('tasks.created_at')
    .orderBy('tasks.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

const inLine = (db: Db, host: string) =>
  db
    .selectFrom('sessions')
    .innerJoin('tasks', 'tasks.id', 'sessions.task_id')
    .where('sessions.wanted_at', 'is not', null)
    .where('sessions.deleted_at', 'is', null)
    .where(sql<boolean>`${hasNoSlot}`)
    .where(runsOn(host))

/** The session's task is open and not processing. A session that is to be stopped needs no slot. */
const hasNoSlot = sql<boolean>`tasks.status in ('pending', 'waiting')
  and (sessions.signal is null or sessions.signal not in ('cancel', 'close'))`

interface Unclaimed {
  readonly host: string
  readonly now: number
  readonly limit: number
  readonly except: readonly SessionId[]
}

/** Sessions that this host can run or stop, that are wanted, that nobody holds, and that do not stand in line for a slot. */
export async function unclaimedSessions(db: Db, { host, now, limit, except }: Unclaimed): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('wanted_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .where((or) => or.or([or('lease_owner', 'is', null), or('lease_until', '<', now)]))
    .where(
      sql<boolean>`(task_id is null or not exists (select 1 from tasks where tasks.id = sessions.task_id and ${hasNoSlot}))`,
    )
    .where(sql<boolean>`(${runsOn(host)} or sessions.signal in ('cancel', 'close'))`)
    .$if(except.length > 0, (rows) => rows.where('id', 'not in', [...except]))
    .orderBy('priority', 'desc')
    .orderBy('wanted_at')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Sessions whose program set them aside and died before it could end their task. */
export async function strandedSessions(db: Db): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('sessions', 'sessions.id', 'tasks.session_id')
    .select('sessions.id')
    .where('tasks.status', '=', 'processing')
    .where(sql<boolean>`tasks.status in ('pending', 'processing', 'waiting')`)
    .where('sessions.status', '=', 'error')
    .where('sessions.wanted_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}
