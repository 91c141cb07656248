import type { SessionId } from '../contract/ids.ts'
import type { MailState } from '../contract/mail.ts'
import type { ChainRow, Db, MailRow } from './tables.ts'

export async function findChain(db: Db, id: string): Promise<ChainRow | undefined> {
  return db.selectFrom('chains').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findChainByNotice(db: Db, noticeId: string): Promise<ChainRow | undefined> {
  return db.selectFrom('chains').selectAll().where('notice_id', '=', noticeId).executeTakeFirst()
}

/** Compare-and-set: only the first of those who stop a chain at the same time tells the person. */
export async function markStopped(
  db: Db,
  row: Pick<ChainRow, 'id' | 'project_id' | 'notice_id' | 'refused_session_id' | 'stopped_at'>,
): Promise<boolean> {
  const { id, project_id, ...stop } = row
  const made = await db
    .insertInto('chains')
    .values({ ...row, more_hops: 0, more_tasks: 0 })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made !== undefined) return true
  const again = await db
    .updateTable('chains')
    .set(stop)
    .where('id', '=', id)
    .where('notice_id', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return again !== undefined
}

export async function updateChain(db: Db, id: string, change: Partial<ChainRow>): Promise<void> {
  await db.updateTable('chains').set(change).where('id', '=', id).execute()
}

/** What agents and the system wrote in a chain, the newest first. */
export async function mailOfChain(db: Db, id: string, limit: number): Promise<MailRow[]> {
  return db
    .selectFrom('mail')
    .selectAll()
    .where('chain_id', '=', id)
    .where('from_kind', '<>', 'human')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** The mail of an agent to this session in a chain that is farthest from the person, `hops` at most. */
export async function mailInChain(
  db: Db,
  id: string,
  sessionId: SessionId,
  hops: number,
): Promise<MailRow | undefined> {
  return db
    .selectFrom('mail')
    .selectAll()
    .where('chain_id', '=', id)
    .where('from_kind', '<>', 'human')
    .where('from_session_id', 'is not', null)
    .where('session_id', '=', sessionId)
    .where('hops', '<=', hops)
    .orderBy('hops', 'desc')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The open sessions that agents wrote to in a chain. */
export async function sessionsIn(db: Db, id: string): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('mail')
    .innerJoin('sessions', 'sessions.id', 'mail.session_id')
    .select('mail.session_id')
    .distinct()
    .where('mail.chain_id', '=', id)
    .where('mail.from_kind', '<>', 'human')
    .where('sessions.closed_at', 'is', null)
    .execute()
  return rows.map((row) => row.session_id)
}

/** Every session that a chain has reached; with `state` only those where its mail is in that state. */
export async function sessionsReached(db: Db, id: string, state?: MailState): Promise<SessionId[]> {
  let reached = db
    .selectFrom('mail')
    .select('session_id')
    .distinct()
    .where('chain_id', '=', id)
    .where('from_kind', '<>', 'human')
  if (state !== undefined) reached = reached.where('state', '=', state)
  return (await reached.execute()).map((row) => row.session_id)
}
