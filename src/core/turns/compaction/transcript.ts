import { type Message, type Part, textOf } from '../../../contract/messages.ts'
import { headTail } from '../../../lib/text.ts'
import { defuseTags } from '../../base/index.ts'

/** Which part of a history is summed up by one request. */
interface Piece {
  readonly text: string
  /** Its last message. */
  readonly upTo: number
}

/** In how many requests a history is summed up: of a longer one each message is told more briefly, as far as that goes. */
const PIECES = 8
const LONGEST = 8000
const BRIEFEST = 120

/** How many characters of each message are told. */
export function charsEach(messages: readonly Message[], room: number): number {
  let chars = LONGEST
  const told = (): number => messages.reduce((sum, message) => sum + asLine(message, chars).length, 0)
  while (chars > BRIEFEST && told() > PIECES * room) chars = Math.floor(chars / 2)
  return chars
}

/** As many messages from the first one on as there is room for; at least one. */
export function pieceOf(messages: readonly Message[], chars: number, room: number): Piece | undefined {
  const lines: string[] = []
  let left = room
  let upTo: number | undefined
  for (const message of messages) {
    const line = asLine(message, Math.min(chars, room))
    if (upTo !== undefined && line.length > left) break
    left -= line.length
    lines.push(line)
    upTo = message.seq
  }
  return upTo === undefined ? undefined : { text: lines.filter(Boolean).join('\n\n'), upTo }
}

/** One message in words; nothing for one that a person deleted. */
function asLine(message: Message, chars: number): string {
  if (message.deletedAt !== undefined) return ''
  return message.parts
    .map((part) => inWords(message, part, chars))
    .filter(Boolean)
    .join('\n')
}

function inWords(message: Message, part: Part, chars: number): string {
  if (part.type === 'text') return `[${who(message)}] ${bounded(textOf([part]), chars)}`
  if (part.type === 'tool-call') return `[the agent calls ${part.name}] ${bounded(asText(part.input), chars)}`
  if (part.type === 'tool-result')
    return `[${part.error ? 'error' : 'result'} of ${part.name}] ${bounded(asText(part.output), chars)}`
  return part.type === 'file' ? `[${who(message)}] (a file: ${part.mediaType})` : ''
}

function who({ role, from }: Message): string {
  if (role === 'assistant') return 'the agent'
  if (role === 'system' || from === undefined) return 'the system'
  return from.kind === 'human' ? 'the person' : (from.agent ?? `the ${from.kind}`)
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

function bounded(text: string, chars: number): string {
  const kept = headTail(chars)
  kept.push(text)
  return defuseTags(kept.text(), ['conversation', 'summary'])
}
