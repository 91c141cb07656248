import type { SessionId } from '../../contract/ids.ts'
import type { Message, Part } from '../../contract/messages.ts'
import { selectMessages, toMessage } from '../../store/messages.ts'
import type { Db } from '../../store/tables.ts'

/** So many messages are read at a time: a page of them may be large. */
const STEP = 100
/** As much of a log as one request reads; the next page goes on there. */
const READ_MESSAGES = 5000
const READ_CHARS = 16_000_000

/** The messages that have these words, newest first, whatever the case of their letters. */
export async function findInLog(
  db: Db,
  sessionId: SessionId,
  { text, before = Number.MAX_SAFE_INTEGER, limit }: { text: string; before?: number | undefined; limit: number },
): Promise<{ items: Pick<Message, 'id' | 'seq'>[]; nextCursor?: string }> {
  const wanted = text.toLowerCase()
  const items: Pick<Message, 'id' | 'seq'>[] = []
  let [at, messages, chars] = [before, 0, 0]
  for (;;) {
    const rows = await selectMessages(db, sessionId, { before: at, limit: STEP, newestFirst: true })
    for (const row of rows) {
      const { id, seq, parts } = toMessage(row)
      at = seq
      messages += 1
      chars += row.parts.length
      if (parts.some((part) => wordsOf(part).toLowerCase().includes(wanted))) items.push({ id, seq })
      if (items.length === limit) return { items, nextCursor: String(at) }
    }
    if (rows.length < STEP) return { items }
    if (messages >= READ_MESSAGES || chars >= READ_CHARS) return { items, nextCursor: String(at) }
  }
}

function wordsOf(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text
  if (part.type === 'file') return part.name ?? ''
  return inWords(part.type === 'tool-call' ? part.input : part.output)
}

/** The texts of a value as they are, without the escapes of JSON. */
function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  return Object.values(value).map(inWords).join('\n')
}
