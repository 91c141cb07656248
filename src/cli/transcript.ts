import { type Message, type Part, type ToolCallPart, textOf } from '../contract/messages.ts'
import { clean, oneLine, paint } from './print.ts'

/** A conversation for reading: who said what, each tool call and result in one line. */
export const transcript = (messages: readonly Message[]): string =>
  messages
    .filter((message) => !message.deletedAt)
    .map((message) => [head(message), ...body(message)].filter(Boolean).join('\n'))
    .join('\n\n')

/** "bash npm test": the name and what is most telling of the input. */
export function callLine({ name, input }: Pick<ToolCallPart, 'name' | 'input'>): string {
  const fields = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  const telling = fields.find((value) => typeof value === 'string') ?? (fields.length > 0 ? JSON.stringify(input) : '')
  return `${name} ${oneLine(String(telling ?? ''), 100)}`.trim()
}

/** The same from an event, which has the input as JSON, cut where it is long. */
export function previewLine(name: string, preview: string): string {
  try {
    return callLine({ name, input: JSON.parse(preview) })
  } catch {
    return `${name} ${oneLine(preview, 100)}`
  }
}

function head(message: Message): string {
  const who = message.role === 'assistant' ? (message.model ?? 'assistant') : whoWrote(message)
  return paint('dim', `#${message.seq} ${who}${message.interrupted ? ' (interrupted)' : ''}`)
}

function whoWrote({ role, from }: Message): string {
  if (!from || role === 'tool') return role
  return [from.agent ?? from.kind, from.handle].filter(Boolean).join(' ')
}

function body(message: Message): string[] {
  const text = clean(textOf(message.parts)).trim()
  return [text, ...message.parts.map(line)].filter(Boolean)
}

function line(part: Part): string {
  if (part.type === 'tool-call') return paint('cyan', `▸ ${callLine(part)}`)
  if (part.type === 'file') return `[${part.name ?? part.mediaType}]`
  if (part.type !== 'tool-result') return ''
  const output = typeof part.output === 'string' ? part.output : JSON.stringify(part.output)
  return `${part.error ? paint('red', '✗') : '·'} ${part.name}: ${oneLine(output ?? '', 160)}`
}
