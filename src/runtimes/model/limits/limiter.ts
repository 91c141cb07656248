import type { Clock } from '../../../lib/clock.ts'

/** What a request met, as far as the next ones care. */
export type Met =
  | ({ readonly kind: 'ok' } & Accepted)
  /** Too many requests, or too many for the vendor as a whole. */
  | { readonly kind: 'limited'; readonly waitMs: number | undefined }
  /** No credit or no access: nothing to try for a while. */
  | { readonly kind: 'exhausted'; readonly waitMs: number; readonly reason: string }
  | { readonly kind: 'other' }

/** What the vendor said is left, where it says so. */
interface Accepted {
  readonly remaining?: number | undefined
  readonly resetMs?: number | undefined
}

export type Entry =
  /** The caller tells what the request met: when it is accepted or refused, and again if it fails after that. */
  { readonly met: (what: Met) => void } | { readonly refused: 'aborted' | 'full' | 'closed'; readonly waitMs: number }

/** The queue of one account, shared by all sessions: one 429 is everyone's, and after it nobody storms. */
export interface Limiter {
  /** Resolves when the request may be sent, or is refused. */
  enter(signal: AbortSignal): Promise<Entry>
  readonly waiting: number
  readonly exhausted: { readonly until: number; readonly reason: string } | undefined
}

/** Requests beyond this fail at once. */
export const QUEUE = 2000
/** Nobody waits at a door that stays closed for longer. */
export const LONGEST_CLOSED_MS = 5 * 60_000
/** How many requests go out side by side at first; the number doubles when as many were accepted. */
const FIRST_WAVE = 8
/** Successes in a row after which no limit is suspected. */
const PROVEN = 24
const FIRST_BACKOFF_MS = 1000
const LONGEST_BACKOFF_MS = 60_000

export function createLimiter(clock: Clock, random: () => number = Math.random): Limiter {
  const queue: { admit: () => void }[] = []
  let inFlight = 0
  let width = FIRST_WAVE
  let successes = 0
  let backoffs = 0
  /** When the vendor last began to refuse without naming a time, and how long such a refusal lasted before. */
  let troubleSince = 0
  let usualMs = 0
  let closedUntil = 0
  let timer: NodeJS.Timeout | undefined
  let exhausted: { until: number; reason: string } | undefined
  /** Since the door last opened. */
  let period: Period = { since: clock.now(), admitted: 0, passed: 0 }
  let learned: Learned | undefined

  const isClosed = (): boolean => clock.now() < closedUntil
  const close = (until: number): void => {
    closedUntil = Math.max(closedUntil, until)
    clearTimeout(timer)
    timer = setTimeout(open, Math.max(0, closedUntil - clock.now()))
    // The timer need not keep the process alive: a turn that waits here does so itself.
    timer.unref()
  }
  const open = (): void => {
    // A timer may fire early by this clock.
    if (isClosed()) close(closedUntil)
    else nextPeriod()
    letIn()
  }
  /** A window that took all it was allowed is allowed more: one more, then two, four. */
  const nextPeriod = (): void => {
    if (learned && learned.from !== period && period.passed >= learned.most) {
      learned.most += learned.step
      learned.step *= 2
    }
    period = { since: clock.now(), admitted: 0, passed: 0 }
  }
  const letIn = (): void => {
    while (queue.length > 0 && isFree()) queue.shift()?.admit()
  }
  const isFree = (): boolean => {
    if (isClosed() || inFlight >= width) return false
    if (learned === undefined || period.admitted < learned.most) return true
    const windowEnds = period.since + learned.windowMs
    if (clock.now() < windowEnds) {
      close(windowEnds)
      return false
    }
    nextPeriod()
    return true
  }

  const accepted = (by: Period, { remaining, resetMs }: Accepted): void => {
    // How long the vendor refused this time is the best guess for the next.
    if (backoffs > 0) usualMs = clock.now() - troubleSince
    backoffs = 0
    exhausted = undefined
    successes += 1
    by.passed += 1
    // The request was sent before the door closed, and accepted after.
    if (learned?.from === by) learned.most = Math.max(learned.most, by.passed)
    if (learned === undefined && successes >= PROVEN) width = Number.POSITIVE_INFINITY
    else if (learned !== undefined || troubleSince > 0) width += 1
    else if (successes >= width) width *= 2
    if (remaining === 0 && resetMs !== undefined) close(clock.now() + resetMs)
  }
  const limited = (by: Period, waitMs: number | undefined): void => {
    if (!isClosed()) {
      if (backoffs === 0) troubleSince = clock.now()
      const firstMs = Math.max(FIRST_BACKOFF_MS, usualMs / 2)
      const pauseMs = waitMs ?? Math.min(LONGEST_BACKOFF_MS, firstMs * 2 ** backoffs++) * (0.5 + random())
      if (waitMs !== undefined && by === period) {
        const windowMs = clock.now() + waitMs - by.since
        learned = { from: by, most: Math.max(1, by.passed), windowMs, step: 1 }
      }
      close(clock.now() + pauseMs)
    } else if (waitMs !== undefined) close(clock.now() + waitMs)
    successes = 0
    width = 1
  }

  const pass = (): Entry => {
    const mine = period
    let inside = true
    inFlight += 1
    mine.admitted += 1
    return {
      met(what) {
        if (inside) inFlight -= 1
        if (what.kind === 'ok' && inside) accepted(mine, what)
        if (what.kind === 'limited') limited(mine, what.waitMs)
        if (what.kind === 'exhausted') exhausted = { until: clock.now() + what.waitMs, reason: what.reason }
        inside = false
        letIn()
      },
    }
  }

  return {
    async enter(signal) {
      if (signal.aborted) return { refused: 'aborted', waitMs: 0 }
      const closedMs = closedUntil - clock.now()
      if (closedMs > LONGEST_CLOSED_MS) return { refused: 'closed', waitMs: closedMs }
      if (queue.length === 0 && isFree()) return pass()
      if (queue.length >= QUEUE) return { refused: 'full', waitMs: 0 }
      const { promise, resolve } = Promise.withResolvers<Entry>()
      const place = { admit: () => resolve(pass()) }
      const leave = (): void => {
        const at = queue.indexOf(place)
        if (at === -1) return
        queue.splice(at, 1)
        resolve({ refused: 'aborted', waitMs: 0 })
      }
      queue.push(place)
      signal.addEventListener('abort', leave, { once: true })
      return promise.finally(() => signal.removeEventListener('abort', leave))
    },
    get waiting() {
      return queue.length
    },
    get exhausted() {
      return exhausted !== undefined && exhausted.until > clock.now() ? exhausted : undefined
    },
  }
}

interface Period {
  readonly since: number
  admitted: number
  passed: number
}

/** What an account took before it said no, and how long its window was. */
interface Learned {
  readonly from: Period
  most: number
  step: number
  readonly windowMs: number
}
