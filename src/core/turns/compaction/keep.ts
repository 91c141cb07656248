import type { Message } from '../../../contract/messages.ts'
import { viewOf } from '../../sessions/index.ts'
import { cutPoints } from './cut-points.ts'
import { summaryTokens, tokensFrom } from './size.ts'

/** What the model read so far, without a summary, and the room that there is for it. */
interface Reading {
  readonly messages: readonly Message[]
  /** Of the summary that stands before them. */
  readonly summary: number
  /** Of the system prompt and the tools. */
  readonly fixed: number
  readonly window: number
  /** From so many tokens on it is too much. */
  readonly limit: number
  /** The window is no guess. */
  readonly known: boolean
  readonly keepTurns: number
  readonly asked: boolean
}

/** How a history is made shorter: old results are cut, and perhaps all messages before one are summed up. */
interface Shorter {
  /** The place of the first message that is kept; 0 where nothing is summed up. */
  readonly from: number
  /** The place before which results are cut. */
  readonly cutBefore: number
  /** How much the model reads then at most. */
  readonly tokens: number
}

/** After a compaction there must be room for work: it comes down to this share of the limit. */
const TARGET = 0.75
/** The messages that stay whole take no more than this. */
const TAIL = 0.5

/** Undefined where nothing can be made shorter, or nothing would help. */
export function makeShorter(reading: Reading): Shorter | undefined {
  const { messages, fixed, window, limit, known, asked } = reading
  const wholeFrom = tokensFrom(messages)
  const cutFrom = tokensFrom(messages.map((message) => viewOf(message, Number.POSITIVE_INFINITY)))
  const all = wholeFrom(0)
  const room = Math.min(TAIL * limit, TARGET * limit - fixed - summaryTokens(window), asked ? all / 2 : all)
  const from = keptFrom(messages, wholeFrom, { most: room, keepTurns: reading.keepTurns })

  const saved = all - wholeFrom(from) - (cutFrom(0) - cutFrom(from))
  const afterCuts = fixed + reading.summary + all - saved
  if (!asked && saved > 0 && afterCuts <= TARGET * limit) return { from: 0, cutBefore: from, tokens: afterCuts }

  const before = fixed + (from === 0 ? reading.summary : summaryTokens(window))
  const after = before + wholeFrom(from)
  if (from > 0 && after <= window) return { from, cutBefore: from, tokens: after }
  // What is newest is cut only if it would not fit otherwise.
  const least = before + cutFrom(from)
  const helps = from > 0 || (least < after && after > window)
  return helps && (least <= window || !known) ? { from, cutBefore: messages.length, tokens: least } : undefined
}

/**
 * The last turns that fit; of a turn that does not, its last steps. What the next answer is to, and the last step before it,
 * always stay.
 */
function keptFrom(
  messages: readonly Message[],
  sizeFrom: (at: number) => number,
  { most, keepTurns }: { most: number; keepTurns: number },
): number {
  const latest = newestStep(messages)
  const points = [0, ...cutPoints(messages).filter((at) => at <= latest)]
  const starts = points.filter((at) => at === 0 || messages[at]?.turnId !== messages[at - 1]?.turnId)
  const fits = (at: number): boolean => sizeFrom(at) <= most
  const last = starts.at(-1) ?? 0
  return starts.slice(-keepTurns).find(fits) ?? points.filter((at) => at > last).find(fits) ?? points.at(-1) ?? 0
}

/** Mail that waits for an answer; else the newest answer with what its calls brought. */
function newestStep(messages: readonly Message[]): number {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant')
  const mail = messages.findIndex(({ role }, at) => at > answer && role === 'user')
  return mail === -1 ? Math.max(0, answer) : mail
}
