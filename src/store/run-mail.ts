import { type SelectQueryBuilder, sql } from 'kysely'
import type { RunRow } from './run-tables.ts'
import type { Db, MailRow, Tables } from './tables.ts'

export interface PageOfRun {
  readonly limit: number
  /** `createdAt.id` of the last one seen. */
  readonly cursor?: string | undefined
}

/** What was written to the members of a run while it was open, the newest first. */
export async function mailOfRun(db: Db, run: RunRow, { limit, cursor }: PageOfRun): Promise<MailRow[]> {
  let rows = within(db, run).selectAll('mail')
  if (cursor !== undefined) {
    const [at = '0', id = ''] = cursor.split('.')
    rows = rows.where(sql<boolean>`(mail.created_at, mail.id) < (${Number(at)}, ${id})`)
  }
  return rows.orderBy('mail.created_at', 'desc').orderBy('mail.id', 'desc').limit(limit).execute()
}

/** How many messages members of a run wrote to each other, in this cycle where it has cycles. */
export async function countMessages(db: Db, run: RunRow): Promise<number> {
  const row = await within(db, run)
    .select(db.fn.countAll().as('count'))
    .where('mail.from_kind', '=', 'agent')
    .where('mail.created_at', '>=', run.cycle_at ?? 0)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

function within(db: Db, { id, session_id, created_at, ended_at }: RunRow): SelectQueryBuilder<Tables, 'mail', object> {
  const workers = db
    .selectFrom('workers')
    .select('session_id')
    .where('run_id', '=', id)
    .where('session_id', 'is not', null)
  const mail = db
    .selectFrom('mail')
    .where((is) => is.or([is('mail.session_id', '=', session_id), is('mail.session_id', 'in', workers)]))
    .where('mail.created_at', '>=', created_at)
  return ended_at === null ? mail : mail.where('mail.created_at', '<=', ended_at)
}
