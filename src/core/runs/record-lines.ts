import type { Event } from '../../contract/events.ts'
import type { LogLine } from '../../lib/files/lines.ts'
import { shorten } from '../../lib/shorten.ts'
import { findMail } from '../../store/mail.ts'
import { selectMessages, toMessage } from '../../store/messages.ts'
import type { Core } from '../base/index.ts'

const CHARS = 20_000

/** One mail of the run. */
export async function mailLine(core: Core, seq: string, { at, data }: Event, to: string): Promise<LogLine | undefined> {
  const mail = await findMail(core.store.read, (data as { readonly mailId: string }).mailId)
  if (mail === undefined) return undefined
  const from = mail.from_kind === 'agent' ? (mail.from_agent ?? 'agent') : mail.from_kind
  return { seq, at, id: mail.id, from, to, content: shorten(mail.content, CHARS) }
}

/** One message of a worker's log, with what it said and called. */
export async function conversationLine(
  core: Core,
  seq: string,
  { at, sessionId, data }: Event,
): Promise<LogLine | undefined> {
  const number = (data as { readonly seq: number }).seq
  const [row] = await selectMessages(core.store.read, sessionId!, { after: number - 1, limit: 1 })
  if (row === undefined || row.seq !== number) return undefined
  const { role, parts } = toMessage(row)
  return { seq, at, message: number, role, parts: parts.map(briefly) }
}

/** Long texts are cut, and files named. */
function briefly(part: ReturnType<typeof toMessage>['parts'][number]): unknown {
  if (part.type === 'file') return { type: part.type, name: part.name, mediaType: part.mediaType }
  const text = JSON.stringify(part)
  return text.length <= CHARS ? part : { type: part.type, cut: shorten(text, CHARS) }
}
