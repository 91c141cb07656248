import { sql } from 'kysely'
import { sumSince } from './cost.ts'
import type { Db } from './tables.ts'

interface Counts {
  readonly sessions: Record<string, number>
  readonly inboxOpen: number
  readonly mailWaiting: number
  readonly today: { readonly costUsd: number; readonly unpricedTokens: number }
}

export async function countAll(db: Db, dayStart: number, project: string | '*' = '*'): Promise<Counts> {
  const here = project === '*' ? sql<boolean>`true` : sql<boolean>`project_id = ${project}`
  const sessions = await db
    .selectFrom('sessions')
    .select(['status', db.fn.countAll().as('count')])
    .where('deleted_at', 'is', null)
    .where(here)
    .groupBy('status')
    .execute()
  const inbox = await db
    .selectFrom('inbox')
    .select(db.fn.countAll().as('count'))
    .where('status', '=', 'open')
    .where(here)
    .executeTakeFirstOrThrow()
  const mail = await db
    .selectFrom('mail')
    .select(db.fn.countAll().as('count'))
    .where('state', 'in', ['queued', 'held', 'suppressed'])
    .where(here)
    .executeTakeFirstOrThrow()
  return {
    sessions: Object.fromEntries(sessions.map((row) => [row.status, Number(row.count)])),
    inboxOpen: Number(inbox.count),
    mailWaiting: Number(mail.count),
    today: await sumSince(db, dayStart, project),
  }
}
