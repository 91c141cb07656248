import { tellingPart } from '../client/call-words.ts'
import { inOrder } from '../client/replay.ts'
import type { Event } from '../contract/events.ts'
import { type Message, type Part, type ToolCallPart, textOf } from '../contract/messages.ts'
import { oneLine, paint } from './print.ts'
import { remarkHere } from './remarks.ts'

/** A conversation for reading: who said what, each tool call and result in one line, and what happened besides. */
export function transcript(messages: readonly Message[], events: readonly Event[] = []): string {
  const blocks: string[][] = []
  for (const step of inOrder(messages, events)) {
    if ('message' in step) blocks.push(messageLines(step.message))
    else if (!step.early) blocks.at(-1)?.push(...remarkLine(step.event))
  }
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const messageLines = (message: Message): string[] =>
  message.deletedAt && !message.replaced ? [] : [head(message), ...body(message), ...before(message)].filter(Boolean)

function remarkLine(event: Event): string[] {
  const said = remarkHere(event)
  if (!said) return []
  return [said.kind === 'failed' ? `${paint('red', '✗')} ${said.text}` : paint('dim', `(${said.text})`)]
}

/** "bash npm test": the name and the most telling part of the input. */
export function callLine({ name, input }: Pick<ToolCallPart, 'name' | 'input'>): string {
  return `${name} ${oneLine(tellingPart({ name, input }), 100)}`.trim()
}

/** The first words of an input that was cut somewhere behind them. */
const FIRST_WORDS = /^\{"\w+":"((?:[^"\\]|\\[^u])+)"/

/** The same line from an event, which has the input as JSON and cuts it where it is long. */
export function previewLine(name: string, preview: string): string {
  try {
    return callLine({ name, input: JSON.parse(preview) })
  } catch {
    const [, first = preview] = FIRST_WORDS.exec(preview) ?? []
    return `${name} ${oneLine(first, 100)}`
  }
}

function head(message: Message): string {
  const who = message.role === 'assistant' ? (message.model ?? 'assistant') : whoWrote(message)
  const { interrupted, cut, editedAt, deletedAt } = message
  const marks = [interrupted && 'interrupted', cut && 'cut', editedAt && 'edited', deletedAt && 'deleted']
  const shown = marks.filter(Boolean).join(', ')
  return paint('dim', `#${message.seq} ${who}${shown && ` (${shown})`}`)
}

/** What the message said before each edit or its deletion, one line for each. */
const before = ({ replaced = [] }: Message): string[] =>
  replaced.map(({ parts }) =>
    paint('dim', `before: ${oneLine([textOf(parts), ...parts.map(line)].join(' ').trim(), 160)}`),
  )

function whoWrote({ role, from }: Message): string {
  if (!from || role === 'tool') return role
  return [from.agent ?? from.kind, from.handle].filter(Boolean).join(' ')
}

function body(message: Message): string[] {
  const text = textOf(message.parts).trim()
  return [text, ...message.parts.map(line)].filter(Boolean)
}

function line(part: Part): string {
  if (part.type === 'tool-call') return paint('cyan', `▸ ${callLine(part)}`)
  if (part.type === 'file') return `[${part.name ?? part.mediaType}]`
  if (part.type !== 'tool-result') return ''
  const output = typeof part.output === 'string' ? part.output : JSON.stringify(part.output)
  return `${part.error ? paint('red', '✗') : '·'} ${part.name}: ${oneLine(output ?? '', 160)}`
}
