import type { SessionId } from '../contract/ids.ts'
import { prepared } from './drivers/prepared.ts'
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
  return (await selectTools(db, sessionId)).map((row) => row.tool)
}

const selectTools = prepared((db, sessionId: SessionId) =>
  db.selectFrom('grants').select('tool').where('session_id', '=', sessionId),
)
