import type { SessionId } from '../contract/ids.ts'
import type { Db, PromptRow } from './tables.ts'

export async function findPrompt(db: Db, sessionId: SessionId): Promise<PromptRow | undefined> {
  return db.selectFrom('prompts').selectAll().where('session_id', '=', sessionId).executeTakeFirst()
}

export async function putPrompt(db: Db, row: PromptRow): Promise<void> {
  await db
    .insertInto('prompts')
    .values(row)
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(row))
    .execute()
}

export async function deletePrompt(db: Db, sessionId: SessionId): Promise<void> {
  await db.deleteFrom('prompts').where('session_id', '=', sessionId).execute()
}
