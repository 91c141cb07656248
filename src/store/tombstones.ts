import type { SessionId } from '../contract/ids.ts'
import type { Message } from '../contract/messages.ts'
import { iso } from '../lib/clock.ts'
import { readParts, toMessage } from './messages.ts'
import type { TombstoneRow } from './session-tables.ts'
import type { Db, MessageRow } from './tables.ts'

/** Counting the versions is safe here, because whoever changes a log holds the session's row. */
export async function insertTombstone(db: Db, row: Omit<TombstoneRow, 'version'>): Promise<void> {
  const { count } = await db
    .selectFrom('tombstones')
    .select(db.fn.countAll().as('count'))
    .where('session_id', '=', row.session_id)
    .where('seq', '=', row.seq)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('tombstones')
    .values({ ...row, version: Number(count) })
    .execute()
}

/** Messages as people see them: with what they said before they were edited or deleted. */
export async function withTombstones(db: Db, sessionId: SessionId, rows: readonly MessageRow[]): Promise<Message[]> {
  const changed = rows.filter(({ edited_at, deleted_at }) => edited_at !== null || deleted_at !== null)
  const messages = rows.map(toMessage)
  if (changed.length === 0) return messages
  const before = Map.groupBy(await selectBetween(db, sessionId, changed[0]!.seq, changed.at(-1)!.seq), ({ seq }) => seq)
  for (const message of messages) {
    const replaced = before.get(message.seq)
    if (replaced)
      message.replaced = replaced.map((row) => ({ parts: readParts(sessionId, row, 'tombstones'), at: iso(row.at) }))
  }
  return messages
}

export async function deleteTombstones(db: Db, sessionId: SessionId): Promise<void> {
  await db.deleteFrom('tombstones').where('session_id', '=', sessionId).execute()
}

const selectBetween = (db: Db, sessionId: SessionId, first: number, last: number): Promise<TombstoneRow[]> =>
  db
    .selectFrom('tombstones')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('seq', '>=', first)
    .where('seq', '<=', last)
    .orderBy('seq')
    .orderBy('version')
    .execute()
