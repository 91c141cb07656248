import type { SessionId } from '../contract/ids.ts'
import { prepared } from './prepared.ts'
import type { Db, PromptRow } from './tables.ts'

export async function findPrompt(db: Db, sessionId: SessionId): Promise<PromptRow | undefined> {
  return (await selectRow(db, sessionId))[0]
}

const selectRow = prepared((db, sessionId: SessionId) =>
  db.selectFrom('prompts').selectAll().where('session_id', '=', sessionId),
)

export async function putPrompt(db: Db, row: PromptRow): Promise<void> {
  await putRow(db, row)
}

const putRow = prepared((db, row: PromptRow) =>
  db
    .insertInto('prompts')
    .values(row)
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(row)),
)

export async function deletePrompt(db: Db, sessionId: SessionId): Promise<void> {
  await db.deleteFrom('prompts').where('session_id', '=', sessionId).execute()
}
