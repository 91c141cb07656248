import type { SessionId } from '../../contract/ids.ts'
import { textOf } from '../../contract/messages.ts'
import { selectMessages, toMessage } from '../../store/messages.ts'
import type { Db, SessionRow, TaskRow } from '../../store/tables.ts'

/** About 500 tokens. */
export const SUMMARY_CHARS = 2000
const RAW_CHARS = 64 * 1024
const LOOKED_BACK = 50

/** What a task hands back: its last words, or all it said and did, bounded. */
export async function outputOf(
  db: Db,
  session: SessionRow,
  task: Pick<TaskRow, 'return_mode'>,
): Promise<string | null> {
  const text = task.return_mode === 'raw' ? await everything(db, session.id) : await lastWords(db, session.id)
  if (text === '') return null
  if (text.length <= RAW_CHARS) return text
  return `${text.slice(0, RAW_CHARS)}\n[${text.length - RAW_CHARS} more characters; returnMode lastMessage or summary hands back less]`
}

export async function lastWords(db: Db, sessionId: SessionId): Promise<string> {
  const newest = await selectMessages(db, sessionId, { newestFirst: true, limit: LOOKED_BACK })
  for (const row of newest) {
    const text = row.role === 'assistant' ? textOf(toMessage(row).parts).trim() : ''
    if (text !== '') return text
  }
  return ''
}

async function everything(db: Db, sessionId: SessionId): Promise<string> {
  const messages = (await selectMessages(db, sessionId, { limit: 2000 })).map(toMessage)
  return messages
    .map(({ role, parts }) => {
      const lines = parts.flatMap((part) => {
        if (part.type === 'text') return [part.text]
        if (part.type === 'tool-call') return [`${part.name} ${JSON.stringify(part.input ?? {})}`]
        return part.type === 'tool-result'
          ? [typeof part.output === 'string' ? part.output : JSON.stringify(part.output ?? null)]
          : []
      })
      return `[${role}]\n${lines.join('\n')}`
    })
    .join('\n\n')
}
