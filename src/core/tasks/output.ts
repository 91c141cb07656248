import type { SessionId } from '../../contract/ids.ts'
import { cutTo } from '../../lib/text.ts'
import { selectMessages, toMessage } from '../../store/messages.ts'
import type { Db, SessionRow, TaskRow } from '../../store/tables.ts'
import { lastWords } from '../sessions/index.ts'

/** About 500 tokens. */
export const SUMMARY_CHARS = 2000
const RAW_CHARS = 64 * 1024
const REST_CHARS = 8000

/** What a task hands back: its last words, shortened to a summary, or all it said and did, bounded. */
export async function outputOf(
  db: Db,
  session: SessionRow,
  task: Pick<TaskRow, 'return_mode' | 'created_at'>,
): Promise<string | null> {
  const text = await wholeOutput(db, session.id, task)
  if (text === '') return null
  return shownFrom(text, 0, task.return_mode === 'summary' ? SUMMARY_CHARS : RAW_CHARS)
}

/** The rest of a result that was cut, from this character on. */
export async function restOfOutput(db: Db, task: TaskRow, offset: number): Promise<string> {
  return shownFrom(await wholeOutput(db, task.session_id, task), offset, REST_CHARS)
}

const wholeOutput = (
  db: Db,
  sessionId: SessionId,
  { return_mode, created_at }: Pick<TaskRow, 'return_mode' | 'created_at'>,
): Promise<string> => (return_mode === 'raw' ? everything(db, sessionId) : lastWords(db, sessionId, created_at))

const shownFrom = (text: string, offset: number, limit: number): string =>
  cutTo(
    text.slice(offset),
    limit,
    (missing) => `${missing} more characters; task_status with offset ${offset + limit} shows them`,
  )

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
