import type { SessionId } from '../contract/ids.ts'
import type { Db } from './tables.ts'

/** What a person allowed for the rest of one session. */
export async function insertGrant(db: Db, sessionId: SessionId, tool: string, at: number): Promise<void> {
  await db
    .insertInto('grants')
    .values({ session_id: sessionId, tool, created_at: at })
    .onConflict((conflict) => conflict.columns(['session_id', 'tool']).doNothing())
    .execute()
}

export async function grantedTools(db: Db, sessionId: SessionId): Promise<string[]> {
  const rows = await db.selectFrom('grants').select('tool').where('session_id', '=', sessionId).execute()
  return rows.map((row) => row.tool)
}
