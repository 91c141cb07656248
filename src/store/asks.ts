import { sql } from 'kysely'
import type { MailId, SessionId } from '../contract/ids.ts'
import type { AskState, Db, MailRow } from './tables.ts'
import type { WaitEdge } from './tasks.ts'

/** Word for word the conditions of the indexes `mail_asked` and `mail_asking`. */
const unanswered = sql<boolean>`ask_state in ('open', 'late')`
const open = sql<boolean>`ask_state = 'open'`

/** Questions put to a session that have no answer yet, the oldest first. */
export async function unansweredAsks(db: Db, sessionId: SessionId): Promise<MailRow[]> {
  return db
    .selectFrom('mail')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where(unanswered)
    .orderBy('position')
    .execute()
}

/** From whom these sessions wait for an answer. */
export async function waitsForAnswers(db: Db, sessions: readonly SessionId[]): Promise<WaitEdge[]> {
  const rows = await db
    .selectFrom('mail')
    .select(['from_session_id', 'session_id'])
    .where('from_session_id', 'in', [...sessions])
    .where(open)
    .execute()
  return rows.map((row) => ({ from: row.from_session_id!, to: [row.session_id] }))
}

/** Compare-and-set: of two answers, or of an answer and a timeout, only the first settles the ask. */
export async function settleAsk(
  db: Db,
  id: MailId,
  from: readonly AskState[],
  change: Pick<MailRow, 'ask_state'> & Partial<Pick<MailRow, 'answer'>>,
): Promise<boolean> {
  const row = await db
    .updateTable('mail')
    .set(change)
    .where('id', '=', id)
    .where('ask_state', 'in', [...from])
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The oldest ask from one session to the other that was taken and whose sender still waits. */
export async function askBetween(db: Db, from: SessionId, to: SessionId): Promise<MailRow | undefined> {
  return db
    .selectFrom('mail')
    .selectAll()
    .where('from_session_id', '=', from)
    .where('session_id', '=', to)
    .where(open)
    .where('state', '=', 'taken')
    .orderBy('position')
    .executeTakeFirst()
}
