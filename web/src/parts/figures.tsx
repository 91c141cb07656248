import { type ReactNode, useEffect, useState } from 'react'
import { now } from '../live/clock.ts'

/** Times and money, in words that are the same everywhere. */

/** `7 ms`, `38 s`, `6 min`, `1 h 12 min`, `3 d`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const inSeconds = Math.floor(ms / 1000)
  if (inSeconds < 60) return `${inSeconds} s`
  const inMinutes = Math.floor(inSeconds / 60)
  if (inMinutes < 60) return `${inMinutes} min`
  const hours = Math.floor(inMinutes / 60)
  if (hours < 24) return inMinutes % 60 === 0 ? `${hours} h` : `${hours} h ${inMinutes % 60} min`
  return `${Math.floor(hours / 24)} d`
}

/** Cents, or less where it is less; what has no known price is said to be at least so much. */
export function money(usd: number, unpricedTokens = 0): string {
  const amount = usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(1)
  if (unpricedTokens > 0) return usd === 0 ? 'unknown' : `≥ $${amount}`
  return `$${amount}`
}

/** `840`, `76k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count)
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

// Making one of these takes longer than drawing the row that shows it.
// The page is in English: what the browser's language would make of a date stands beside nothing that looks like it.
const format = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', parts)
const minutes = format({ hour: '2-digit', minute: '2-digit' })
const seconds = format({ timeStyle: 'medium' })
const days = format({ day: 'numeric', month: 'short' })
const whole = format({ dateStyle: 'medium', timeStyle: 'medium' })

/** `14:32` of today, else the day. */
export function clock(at: string): string {
  const date = new Date(at)
  return (date.toDateString() === new Date(now()).toDateString() ? minutes : days).format(date)
}

/** `14:32`, of whichever day. */
export const clockMinutes = (at: string): string => minutes.format(new Date(at))

/** `3 Nov 2026, 14:32:05`: where there is room for all of it, as under the pointer. */
export const clockWhole = (at: string): string => whole.format(new Date(at))

/** `3 Nov`. */
export const dayOf = (at: string): string => days.format(new Date(at))

/** `14:32:05`. */
export const clockSeconds = (at: string): string => seconds.format(new Date(at))

/** How long ago, counting on. */
export function Age({ since }: { since: string }): ReactNode {
  const at = useNow(since)
  return (
    <time className="num" dateTime={since} title={clockWhole(since)}>
      {duration(Math.max(0, at - Date.parse(since))).replace(/^\d+ ms$/, 'now')}
    </time>
  )
}

/** How long something took, or has taken so far. */
export function Took({ since, until }: { since: string; until?: string | undefined }): ReactNode {
  const at = useNow(since, until === undefined)
  return <span className="num">{duration((until === undefined ? at : Date.parse(until)) - Date.parse(since))}</span>
}

/** The time, by the second for what is young and by the half minute for what is old. */
function useNow(since: string, counting = true): number {
  const [at, setAt] = useState(now)
  const young = at - Date.parse(since) < 60_000
  useEffect(() => {
    if (!counting) return
    const timer = setInterval(() => setAt(now()), young ? 1000 : 30_000)
    return () => clearInterval(timer)
  }, [young, counting])
  return at
}
