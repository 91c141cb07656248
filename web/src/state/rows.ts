import type { Writing } from '../../../src/client/writing.ts'
import type { Event } from '../../../src/contract/events.ts'
import type { Message, ToolResultPart } from '../../../src/contract/messages.ts'
import { type Remark, remarkOf } from '../../../src/contract/remarks.ts'
import type { CallNow, Log, Waiting } from './log.ts'
import { callsOf, reasoningOf, textOf } from './words.ts'

/** What stands in a conversation, one below the other. */
export type Row =
  | { readonly kind: 'said'; readonly key: string; readonly message: Message }
  | { readonly kind: 'spoken'; readonly key: string; readonly spoken: Spoken }
  | { readonly kind: 'remark'; readonly key: string; readonly remark: Remark; readonly at: string }
  | { readonly kind: 'new'; readonly key: string; readonly count: number; readonly since: string }
  | WritingRow
  | { readonly kind: 'waiting'; readonly key: string; readonly mail: Waiting }

/** What the agent writes right now, since the last message. */
export interface WritingRow {
  readonly kind: 'writing'
  readonly key: string
  readonly writing: Writing
  readonly since: string
  readonly first: boolean
}

/** A text of the agent and the calls up to its next one. */
export interface Spoken {
  /** Nothing of the agent stands right above. */
  readonly first: boolean
  readonly message: Message
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ShownCall[]
  readonly costUsd: number | undefined
  readonly durationMs: number
}

export interface ShownCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly now: CallNow | undefined
  readonly result: ToolResultPart | undefined
}

/** How far the person had read when they came, and how far the log went then. */
export interface Came {
  readonly readSeq: number
  readonly newest: number
}

export function rowsOf(
  { messages, remarks, calls }: Pick<Log, 'messages' | 'remarks' | 'calls'>,
  { readSeq, newest }: Came,
): Row[] {
  const results = resultsIn(messages)
  const rows: Row[] = []
  const late = remarks.filter(({ at }) => at >= (messages[0]?.createdAt ?? ''))
  let next = 0
  const remarksUntil = (at: string | undefined): void => {
    for (; next < late.length && (at === undefined || late[next]!.at < at); next += 1)
      push(rows, remarkRow(late[next]!))
  }
  const unread = messages.filter(
    ({ seq, role, from }) => seq > readSeq && seq <= newest && role !== 'tool' && from?.kind !== 'human',
  )
  for (const message of messages) {
    remarksUntil(message.createdAt)
    if (message.seq === unread[0]?.seq && readSeq > 0)
      rows.push({ kind: 'new', key: 'new', count: unread.length, since: message.createdAt })
    push(rows, messageRow(message, rows.at(-1), calls, results))
  }
  remarksUntil(undefined)
  return rows
}

/** A row with the key of the last one takes its place. */
function push(rows: Row[], row: Row | undefined): void {
  if (row === undefined) return
  if (row.key === rows.at(-1)?.key) rows.pop()
  rows.push(row)
}

const remarkRow = (event: Event): Row | undefined => {
  const remark = remarkOf(event)
  return remark && { kind: 'remark', key: `remark ${event.seq}`, remark, at: event.at }
}

function messageRow(
  message: Message,
  above: Row | undefined,
  calls: Log['calls'],
  results: ReadonlyMap<string, ToolResultPart>,
): Row | undefined {
  if (message.role === 'tool' || (message.deletedAt && message.parts.length === 0 && message.role !== 'user')) return
  if (message.role !== 'assistant') return { kind: 'said', key: message.id, message }
  const own = callsOf(message.parts).map(({ callId, name, input }) => ({
    ...{ id: callId, name, input },
    now: calls[callId],
    result: results.get(callId),
  }))
  const text = textOf(message.parts).trim()
  const reasoning = reasoningOf(message.parts)
  const spoken = above?.kind === 'spoken' ? above.spoken : undefined
  // What an agent does without a word belongs to what it said last.
  if (spoken && text === '' && reasoning === '' && !message.interrupted)
    return {
      kind: 'spoken',
      key: above!.key,
      spoken: {
        ...spoken,
        calls: [...spoken.calls, ...own],
        costUsd: added(spoken.costUsd, message.costUsd),
        durationMs: spoken.durationMs + (message.durationMs ?? 0),
      },
    }
  return {
    kind: 'spoken',
    key: message.id,
    spoken: {
      ...{ first: spoken === undefined, message, text, reasoning, calls: own },
      ...{ costUsd: message.costUsd, durationMs: message.durationMs ?? 0 },
    },
  }
}

const added = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)

export function resultsIn(messages: readonly Message[]): ReadonlyMap<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>()
  for (const { parts } of messages)
    for (const part of parts) if (part.type === 'tool-result') results.set(part.callId, part)
  return results
}
