import type { SessionId } from '../../contract/ids.ts'
import { type Message, textOf } from '../../contract/messages.ts'
import { shorten } from '../../lib/shorten.ts'
import { selectMessages, toMessage } from '../../store/messages.ts'
import type { Db } from '../../store/tables.ts'

const LOOKED_BACK = 50

/** What the agent said last, since a moment: a worker has done others' work before. */
export async function lastWords(db: Db, sessionId: SessionId, since = 0): Promise<string> {
  const looked = await selectMessages(db, sessionId, { newestFirst: true, limit: LOOKED_BACK })
  const newest = looked.filter(({ created_at }) => created_at >= since)
  return newestAnswer(newest.toReversed().map(toMessage)).trim()
}

/** The newest words of the agent. An answer that was cut and went on is one answer. */
export function newestAnswer(messages: readonly Message[]): string {
  let text = ''
  for (let at = messages.length - 1; at >= 0; at--) {
    const { role, parts, cut } = messages[at] as Message
    if (role !== 'assistant') continue
    if (text.trim() !== '' && !cut) break
    text = textOf(parts) + text
  }
  return text
}

/** The beginning of a message, as lists of sessions show it. */
export const messageSnippet = ({ parts }: Pick<Message, 'parts'>): string => shorten(textOf(parts).trim(), 120)

/** What lists of sessions showed before this message came. */
export async function snippetBefore(db: Db, sessionId: SessionId, seq: number): Promise<string> {
  const newest = await selectMessages(db, sessionId, { before: seq, newestFirst: true, limit: LOOKED_BACK })
  const shown = newest.map(toMessage).find((one) => one.role !== 'tool' && messageSnippet(one) !== '')
  return shown === undefined ? '' : messageSnippet(shown)
}
