import type { SessionId } from '../contract/ids.ts'
import type { Db, SeenRow } from './tables.ts'

export async function putSeen(db: Db, row: SeenRow): Promise<void> {
  await db
    .insertInto('seen')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'path']).doUpdateSet({ digest: row.digest, seen_at: row.seen_at }),
    )
    .execute()
}

export async function findSeen(db: Db, sessionId: SessionId, path: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('seen')
    .select('digest')
    .where('session_id', '=', sessionId)
    .where('path', '=', path)
    .executeTakeFirst()
  return row?.digest
}

/** Forgets all but the newest files of a session. */
export async function trimSeen(db: Db, sessionId: SessionId, keep: number): Promise<void> {
  const oldest = await db
    .selectFrom('seen')
    .select('seen_at')
    .where('session_id', '=', sessionId)
    .orderBy('seen_at', 'desc')
    .offset(keep)
    .limit(1)
    .executeTakeFirst()
  if (oldest === undefined) return
  await db.deleteFrom('seen').where('session_id', '=', sessionId).where('seen_at', '<=', oldest.seen_at).execute()
}

export async function deleteSeen(db: Db, sessionId: SessionId): Promise<void> {
  await db.deleteFrom('seen').where('session_id', '=', sessionId).execute()
}
