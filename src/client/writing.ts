import { isEvent } from '../contract/event-handlers.ts'
import type { Delta, Event } from '../contract/events.ts'

/** A message that is being written: it is not in the log yet. */
export interface Writing {
  readonly attempt: string
  readonly turnId: string
  /** The place in the log that it will have. */
  readonly seq: number
  readonly text: TextSoFar
  readonly reasoning: TextSoFar
}

/** What is known of a text that streams, in one piece. */
export interface TextSoFar {
  /** How many characters before it are missing: they were too many to be kept, or got lost on the way. */
  readonly missing: number
  readonly text: string
}

export const nothingYet: TextSoFar = { missing: 0, text: '' }

/** The text after one more piece: what is known of that already is left out, and behind a gap it begins anew. */
export function foldText(
  before: TextSoFar,
  { offset, text }: Pick<Delta, 'offset' | 'text'>,
  kept = Infinity,
): TextSoFar {
  const end = before.missing + before.text.length
  if (offset > end || offset < before.missing) return lastOf({ missing: offset, text }, kept)
  const known = end - offset
  return known >= text.length ? before : lastOf({ ...before, text: before.text + text.slice(known) }, kept)
}

function lastOf(streamed: TextSoFar, kept: number): TextSoFar {
  const over = streamed.text.length - kept
  return over <= 0 ? streamed : { missing: streamed.missing + over, text: streamed.text.slice(over) }
}

/** What is being written after one more delta. What a tool prints is none of it. */
export function foldWriting(before: Writing | undefined, delta: Delta): Writing | undefined {
  const { attempt, turnId, seq, kind } = delta
  if (kind === 'output' || seq === undefined) return before
  const begun = before?.attempt === attempt ? before : { attempt, turnId, seq, text: nothingYet, reasoning: nothingYet }
  return { ...begun, [kind]: foldText(begun[kind], delta) }
}

/** Whether the event says that this message is in the log, or never will be. Deltas may overtake what came before them. */
export const endsWriting = ({ turnId, seq }: Writing, event: Event): boolean =>
  (isEvent(event, 'message.appended') && event.data.seq >= seq) ||
  (isEvent(event, 'turn.ended') && event.data.turnId === turnId)
