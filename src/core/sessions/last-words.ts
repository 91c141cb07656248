import type { SessionId } from '../../contract/ids.ts'
import { textOf } from '../../contract/messages.ts'
import { selectMessages, toMessage } from '../../store/messages.ts'
import type { Db } from '../../store/tables.ts'

const LOOKED_BACK = 50

export async function lastWords(db: Db, sessionId: SessionId): Promise<string> {
  const newest = await selectMessages(db, sessionId, { newestFirst: true, limit: LOOKED_BACK })
  for (const row of newest) {
    const text = row.role === 'assistant' ? textOf(toMessage(row).parts).trim() : ''
    if (text !== '') return text
  }
  return ''
}
