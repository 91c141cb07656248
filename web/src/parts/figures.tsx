import { type ReactNode, useEffect, useState } from 'react'

/** Times and money, in words that are the same everywhere. */

/** `7 ms`, `38 s`, `6 min`, `1 h 12 min`, `3 d`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
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

/** `14:32` of today, else the day. */
export function clock(at: string): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' })
}

/** How long ago, counting on. */
export function Age({ since }: { since: string }): ReactNode {
  const now = useNow(since)
  return (
    <time className="num" dateTime={since} title={new Date(since).toLocaleString()}>
      {duration(Math.max(0, now - Date.parse(since))).replace(/^\d+ ms$/, 'now')}
    </time>
  )
}

/** How long something took, or has taken so far. */
export function Took({ since, until }: { since: string; until?: string | undefined }): ReactNode {
  const now = useNow(since, until === undefined)
  return <span className="num">{duration((until === undefined ? now : Date.parse(until)) - Date.parse(since))}</span>
}

/** The time, by the second for what is young and by the half minute for what is old. */
function useNow(since: string, counting = true): number {
  const [now, setNow] = useState(Date.now)
  const young = now - Date.parse(since) < 60_000
  useEffect(() => {
    if (!counting) return
    const timer = setInterval(() => setNow(Date.now()), young ? 1000 : 30_000)
    return () => clearInterval(timer)
  }, [young, counting])
  return now
}
