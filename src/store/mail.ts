import { sql } from 'kysely'
import type { MailId, SessionId } from '../contract/ids.ts'
import type { Mail, MailState, Receipt } from '../contract/mail.ts'
import { iso } from '../lib/clock.ts'
import { atMost } from './drivers/limit.ts'
import { prepared, preparedFor } from './drivers/prepared.ts'
import { fromOf } from './messages.ts'
import type { Db, MailRow } from './tables.ts'

/** Word for word the condition of the index `mail_waiting`: with parameters in it SQLite would scan all mail ever sent. */
const waiting = sql<boolean>`state in ('queued', 'held', 'suppressed')`

export async function insertMail(db: Db, row: MailRow): Promise<void> {
  await insertRow(db, row)
}

const insertRow = prepared((db, row: MailRow) => db.insertInto('mail').values(row))

export async function findMail(db: Db, id: MailId): Promise<MailRow | undefined> {
  return (await selectById(db, id))[0]
}

const selectById = prepared((db, id: MailId) => db.selectFrom('mail').selectAll().where('id', '=', id))

export async function findMailByClient(db: Db, projectId: string, clientId: string): Promise<MailRow | undefined> {
  return (await selectByClient(db, projectId, clientId))[0]
}

const selectByClient = prepared((db, projectId: string, clientId: string) =>
  db.selectFrom('mail').selectAll().where('project_id', '=', projectId).where('client_id', '=', clientId),
)

export async function selectWaitingMail(
  db: Db,
  sessionId: SessionId,
  states: readonly MailState[],
  limit: number,
): Promise<MailRow[]> {
  return selectWaiting(limit)(db, sessionId, states)
}

const selectWaiting = preparedFor(
  (limit: number) => (db, sessionId: SessionId, states: readonly MailState[]) =>
    db
      .selectFrom('mail')
      .selectAll()
      .where('session_id', '=', sessionId)
      .where(waiting)
      .where('state', 'in', [...states])
      .orderBy('position')
      .limit(atMost(limit)),
)

export async function hasWaitingMail(db: Db, sessionId: SessionId): Promise<boolean> {
  return (await selectWaitingMail(db, sessionId, ['queued', 'held'], 1)).length > 0
}

export async function countWaitingMail(db: Db, sessionId: SessionId): Promise<number> {
  const [row] = await countWaiting(db, sessionId)
  return Number(row?.count)
}

/** How many waiting mails will spend the wake budget; an ask whose sender waits spends nothing. */
export async function countAgentMail(db: Db, sessionId: SessionId): Promise<number> {
  const row = await db
    .selectFrom('mail')
    .select(db.fn.countAll().as('count'))
    .where('session_id', '=', sessionId)
    .where(waiting)
    .where('state', '<>', 'suppressed')
    .where('from_kind', '=', 'agent')
    .where(sql<boolean>`(ask_state is null or ask_state <> 'open')`)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

const countWaiting = prepared((db, sessionId: SessionId) =>
  db.selectFrom('mail').select(db.fn.countAll().as('count')).where('session_id', '=', sessionId).where(waiting),
)

export async function updateMail(db: Db, ids: readonly MailId[], change: Partial<MailRow>): Promise<void> {
  if (ids.length > 0) await updateRows(db, ids, change)
}

const updateRows = prepared((db, ids: readonly MailId[], change: Partial<MailRow>) =>
  db
    .updateTable('mail')
    .set(change)
    .where('id', 'in', [...ids]),
)

export const toReceipt = (row: MailRow): Receipt => ({
  mailId: row.id,
  outcome: row.outcome,
  state: row.state,
  sessionId: row.session_id,
  at: iso(row.created_at),
})

export const toMail = (row: MailRow): Mail => ({
  id: row.id,
  sessionId: row.session_id,
  from: fromOf({ ...row, asks: row.ask_state === null ? null : 1 }),
  content: row.content,
  followup: row.followup === 1,
  interrupt: row.interrupt === 1,
  outcome: row.outcome,
  state: row.state,
  ...(row.turn_id === null ? {} : { turnId: row.turn_id }),
  ...(row.client_id === null ? {} : { clientId: row.client_id }),
  ...(row.reply_to === null ? {} : { replyTo: row.reply_to }),
  chainId: row.chain_id,
  hops: row.hops,
  ...(row.ask_until === null ? {} : { asksUntil: iso(row.ask_until) }),
  ...(row.expires_at === null ? {} : { expiresAt: iso(row.expires_at) }),
  ...(row.taken_at === null ? {} : { takenAt: iso(row.taken_at) }),
  createdAt: iso(row.created_at),
})
