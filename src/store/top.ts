import { sql } from 'kysely'
import { atMost } from './drivers/limit.ts'
import { soundSum } from './sums.ts'
import type { Db, SessionRow } from './tables.ts'

/** Queries that only `top` makes. */

const atWork = sql<boolean>`deleted_at is null and (status in ('running', 'waiting', 'paused') or wanted_at is not null)`

const inProject = (project: string | '*') =>
  project === '*' ? sql<boolean>`true` : sql<boolean>`project_id = ${project}`

/** Sessions with something to do: those that run come first, then those that wait, each by age. */
export async function sessionsAtWork(db: Db, project: string | '*', limit: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where(atWork)
    .where(inProject(project))
    .orderBy(sql`case status when 'running' then 0 when 'waiting' then 1 when 'paused' then 3 else 2 end`)
    .orderBy('created_at')
    .limit(atMost(limit))
    .execute()
}

export async function countAtWork(db: Db, project: string | '*'): Promise<number> {
  const row = await db
    .selectFrom('sessions')
    .select(db.fn.countAll().as('count'))
    .where(atWork)
    .where(inProject(project))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Tokens that models wrote since then, by session. */
export async function writtenSince(db: Db, since: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('requests')
    .select(['session_id', soundSum('tokens_output').as('tokens')])
    .where('at', '>=', since)
    .groupBy('session_id')
    .execute()
  return new Map(rows.map(({ session_id, tokens }) => [session_id, Number(tokens)]))
}

/** How many tasks are open, by status. */
export async function countOpenTasks(db: Db, project: string | '*'): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('tasks')
    .select(['status', db.fn.countAll().as('count')])
    .where(sql<boolean>`status in ('pending', 'processing', 'waiting')`)
    .where(inProject(project))
    .groupBy('status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}
