import type { Fault } from './fault.ts'

type Headers = Readonly<Record<string, string>>

/** Milliseconds that the vendor asks us to wait: from a header, from the body of its error, or from its own sentence. */
export const askedWait = (
  fault: Pick<Fault, 'headers' | 'details' | 'body' | 'message'>,
  now: number,
): number | undefined =>
  fromRetryAfter(fault.headers, now) ??
  fromFields(fault.details, now) ??
  fromFields(fault.body, now) ??
  resetIn(fault.headers, now) ??
  fromSentence(fault.message)

/** When there will be more of what the headers say is used up: requests, or tokens of some kind. */
export function resetIn(headers: Headers | undefined, now: number): number | undefined {
  if (headers === undefined) return undefined
  const waits = Object.entries(headers)
    .filter(([name, value]) => /ratelimit.*remaining/.test(name) && Number(value) === 0)
    .flatMap(([name]) => durationOf(headers[name.replace('remaining', 'reset')] ?? '', now) ?? [])
  return waits.length === 0 ? undefined : Math.max(...waits)
}

function fromRetryAfter(headers: Headers, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '')
  return exact >= 0 ? exact : durationOf(headers['retry-after'] ?? '', now)
}

/** The fields in which vendors name it, wherever these stand. */
const FIELD =
  /"(retry_?(?:delay|after)(?:_?(?:ms|seconds))?|resets?_?(?:at|in|after)(?:_?(?:ms|seconds))?)"\s*:\s*"?([^",}\]]+)/i

function fromFields(json: string, now: number): number | undefined {
  const [, name = '', value = ''] = FIELD.exec(json) ?? []
  const wait = durationOf(value, now)
  return wait !== undefined && /ms$/i.test(name) ? wait / 1000 : wait
}

function fromSentence(message: string): number | undefined {
  const found = /(?:try again|retry|wait)(?: in| after)? ((?:\d+(?:\.\d+)?\s?(?:h|ms|m|s)[a-z]*\s?)+)/i.exec(
    message,
  )?.[1]
  return found === undefined ? undefined : inUnits(found)
}

/** From here on a number is a moment, not a count of seconds. */
const EPOCH_S = 1_000_000_000
const EPOCH_MS = 1_000_000_000_000

/** "1s", "6m0s", "20ms", a number of seconds, a moment as a number or as a date. */
function durationOf(written: string, now: number): number | undefined {
  const text = written.trim()
  if (text === '') return undefined
  const count = Number(text)
  if (count >= EPOCH_MS) return Math.max(0, count - now)
  if (count >= EPOCH_S) return Math.max(0, count * 1000 - now)
  if (count >= 0) return count * 1000
  const date = Date.parse(text)
  return inUnits(text) ?? (Number.isNaN(date) ? undefined : Math.max(0, date - now))
}

const UNITS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

function inUnits(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s?(ms|h|m|s)[a-z]*\s?/gi)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[(unit ?? '').toLowerCase()] ?? 0), 0)
}
