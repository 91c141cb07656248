import { callsOf, type Message, type Part, type ToolResultPart, textOf } from '../../../contract/messages.ts'
import type { RecordedMessage } from '../../../contract/recordings.ts'
import { idsIn, normal } from './ids.ts'
import type { Tape } from './recording.ts'

/** What comes next: the recorded answer with what its ids are now, nothing more, or where the conversation differs. */
type Next =
  | { readonly parts: readonly Part[]; readonly ids: ReadonlyMap<string, string> }
  | { readonly over: true }
  | { readonly differs: string }

/**
 * The answer that the tape has at this point, if the conversation came here as it was recorded. What people wrote has to
 * be the same in the same order, and so has each result. Mail of agents has to be the same, but may come sooner or
 * later, because nobody waits for it. What the runtime itself remarks is no part of the conversation.
 */
export function followed({ agent, messages }: Tape, history: readonly Message[]): Next {
  const heard = history.filter(({ deletedAt }) => deletedAt === undefined)
  const made = heard.filter(({ role }) => role === 'assistant').length
  const answer = messages.filter(({ role }) => role === 'assistant')[made]
  const before = answer === undefined ? messages : messages.slice(0, messages.indexOf(answer))
  const ids = new Map<string, string>()
  const asked = answer === undefined ? ofPeople(heard).slice(ofPeople(before).length) : []
  const differs =
    inPeople(
      before,
      heard.filter((message) => !asked.includes(message)),
    ) ??
    inMail(messages, heard, ids) ??
    inResults(messages, heard, ids)
  if (differs !== undefined) return { differs: `The conversation of ${agent} differs from the recording ${differs}` }
  if (answer !== undefined) return { parts: answer.parts, ids }
  // Every answer was given, and what is left to read is mail that came later than it was recorded.
  const last = heard.at(-1)
  if (last && ofOthers([last]).length > 0) return { over: true }
  const to = last?.role === 'user' ? shown(textOf(last.parts)) : 'the last results'
  return { differs: `The recording of ${agent} ends after ${made} answers, and there is none to ${to}.` }
}

type Said = Pick<Message, 'role' | 'parts'> & {
  readonly from?: RecordedMessage['from'] | undefined
  readonly seq: number
}

const ofPeople = (messages: readonly Said[]): Said[] =>
  messages.filter(({ role, from }) => role === 'user' && from?.kind === 'human')

const ofOthers = (messages: readonly Said[]): Said[] =>
  messages.filter(({ role, from }) => role === 'user' && (from?.kind === 'agent' || from?.kind === 'trigger'))

function inPeople(expected: readonly Said[], came: readonly Said[]): string | undefined {
  const [wanted, got] = [ofPeople(expected), ofPeople(came)]
  for (let at = 0; at < Math.max(wanted.length, got.length); at += 1) {
    const [one, other] = [wanted[at], got[at]]
    if (one && other && same(one.parts, other.parts)) continue
    const place = `at message ${other?.seq ?? one?.seq}, which a person wrote`
    return `${place}. ${difference(one && textOf(one.parts), other && textOf(other.parts))}`
  }
  return undefined
}

/** Each mail is one that was recorded; ids in it are learned. */
function inMail(expected: readonly Said[], came: readonly Said[], ids: Map<string, string>): string | undefined {
  const left = ofOthers(expected)
  for (const mail of ofOthers(came)) {
    const at = left.findIndex((one) => one.from?.agent === mail.from?.agent && same(one.parts, mail.parts))
    if (at < 0) {
      const meant = left.find((one) => one.from?.agent === mail.from?.agent)
      const place = `at message ${mail.seq}, which ${mail.from?.agent ?? mail.from?.kind} sent`
      return `${place}. ${difference(meant && textOf(meant.parts), textOf(mail.parts))}`
    }
    learn(ids, left[at]?.parts, mail.parts)
    left.splice(at, 1)
  }
  return undefined
}

/** Results are compared by call, since those of one step come in any order. */
function inResults(expected: readonly Said[], came: readonly Said[], ids: Map<string, string>): string | undefined {
  const [recorded, now] = [resultsOf(expected), resultsOf(came)]
  for (const { parts, seq } of came.filter(({ role }) => role === 'assistant')) {
    for (const { callId, vendorCallId, name } of callsOf(parts)) {
      const [one, other] = [recorded.get(vendorCallId), now.get(callId)]
      if (one === undefined || other === undefined) continue
      if (!same([one.output, one.error ?? false], [other.output, other.error ?? false]))
        return `at the result of ${name}, which message ${seq} called. ${difference(one.output, other.output)}`
      learn(ids, one.output, other.output)
    }
  }
  return undefined
}

export const resultsOf = (messages: readonly Pick<Message, 'parts'>[]): Map<string, ToolResultPart> =>
  new Map(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' ? [[part.callId, part] as const] : [])),
    ),
  )

function learn(ids: Map<string, string>, recorded: unknown, now: unknown): void {
  const actual = idsIn(now)
  for (const [at, id] of idsIn(recorded).entries()) if (actual[at] !== undefined) ids.set(id, actual[at])
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(normal(one)) === JSON.stringify(normal(other))

const AROUND = 60

/** Both sides from shortly before the first character that differs. */
function difference(expected: unknown, came: unknown): string {
  if (expected === undefined) return `Expected was nothing; what came is ${shown(came)}.`
  if (came === undefined) return `Expected was ${shown(expected)}; nothing came.`
  const [one, other] = [inWords(normal(expected)), inWords(normal(came))]
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const from = Math.max(0, at - AROUND)
  const part = (text: string): string =>
    JSON.stringify(`${from > 0 ? '…' : ''}${text.slice(from, at + AROUND)}${text.length > at + AROUND ? '…' : ''}`)
  return `Expected was ${part(one)}; what came is ${part(other)}.`
}

const shown = (value: unknown): string => {
  const text = inWords(value)
  return JSON.stringify(text.length > 2 * AROUND ? `${text.slice(0, 2 * AROUND)}…` : text)
}

const inWords = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
