import type { Closure } from '../../../core/base/index.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createWindows, type Period } from './windows.ts'

/** What a request met, as far as the next ones care. */
export type Met =
  /** When nothing is left, the vendor may say when there will be more. */
  | { readonly kind: 'ok'; readonly resetMs?: number | undefined }
  /** Too many requests, or too many for the vendor as a whole. */
  | Refused<'limited'>
  /** The vendor failed or could not be reached. */
  | Refused<'down'>
  /** No credit or no access: nothing to try for a while. */
  | { readonly kind: 'exhausted'; readonly waitMs: number; readonly reason: string }
  | { readonly kind: 'other' }

interface Refused<Kind> {
  readonly kind: Kind
  /** How long the vendor asks to wait, where it says so. */
  readonly waitMs: number | undefined
  readonly reason: string
}

export type Entry =
  /** The caller tells what the request met: when it is accepted or refused, and again if it fails after that. */
  | { readonly met: (what: Met) => void }
  | { readonly refused: 'aborted' | 'full' }
  /** The door stays closed for longer than the request can wait. */
  | { readonly refused: 'closed'; readonly closure: Closure }

/** The queue of one account, shared by all sessions: one refusal is everyone's, and after it nobody storms. */
export interface Limiter {
  /** Resolves when the request may be sent, or is refused. */
  enter(signal: AbortSignal, patienceMs?: number): Promise<Entry>
  readonly waiting: number
  readonly exhausted: { readonly until: number; readonly reason: string } | undefined
  /** Why a request would wait now. */
  readonly closure: Closure | undefined
}

/** Requests beyond this fail at once. */
export const QUEUE = 2000
/** How many requests go out side by side at first; the number doubles when as many were accepted. */
const FIRST_WAVE = 8
/** Successes in a row after which no limit is suspected. */
const PROVEN = 24
const FIRST_BACKOFF_MS = 1000
const LONGEST_BACKOFF_MS = 60_000
/** A vendor that fails is tried at least this often: nobody knows when it is well again. */
const LONGEST_DOWN_MS = 30_000
const USED_UP = 'The account has used up what its vendor allows for now.'

export function createLimiter(clock: Clock, random: () => number = Math.random): Limiter {
  const queue: { admit: () => void }[] = []
  const windows = createWindows(clock)
  let inFlight = 0
  let width = FIRST_WAVE
  let successes = 0
  let acceptedAt = Number.NEGATIVE_INFINITY
  /** Refusals in a row, since when, and what the last one said. */
  let refusals = 0
  let trouble: { since: number; reason: string } | undefined
  let hadTrouble = false
  /** How long the vendor refused the last time without naming a time. */
  let usualMs = 0
  let closedUntil = 0
  let timer: NodeJS.Timeout | undefined
  let exhausted: { until: number; reason: string } | undefined

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
    else windows.begin()
    letIn()
  }
  const letIn = (): void => {
    while (queue.length > 0 && isFree()) queue.shift()?.admit()
  }
  const isFree = (): boolean => {
    if (isClosed() || inFlight >= width) return false
    const fullUntil = windows.fullUntil()
    if (fullUntil !== undefined) close(fullUntil)
    return fullUntil === undefined
  }

  const accepted = (by: Period, resetMs: number | undefined): void => {
    // How long the vendor refused this time is the best guess for the next.
    if (trouble) usualMs = clock.now() - trouble.since
    trouble = undefined
    refusals = 0
    exhausted = undefined
    acceptedAt = clock.now()
    successes += 1
    windows.passed(by)
    if (!windows.learned && successes >= PROVEN) width = Number.POSITIVE_INFINITY
    else if (windows.learned || hadTrouble) width += 1
    else if (successes >= width) width *= 2
    if (resetMs !== undefined) close(clock.now() + Math.min(resetMs, LONGEST_BACKOFF_MS))
  }
  const refused = (by: Period, { kind, waitMs, reason }: Refused<'limited' | 'down'>): void => {
    trouble = { since: trouble?.since ?? clock.now(), reason }
    hadTrouble = true
    successes = 0
    width = 1
    if (!isClosed()) {
      if (kind === 'limited' && waitMs !== undefined) windows.refused(by, waitMs)
      const grown = pauseAfter(kind)
      // What the vendor asks for is believed once; if it refuses again after that, the pauses grow.
      close(clock.now() + (waitMs === undefined ? grown : Math.max(waitMs, refusals > 1 ? grown : 0)))
    } else if (waitMs !== undefined) close(clock.now() + waitMs)
  }
  const pauseAfter = (kind: 'limited' | 'down'): number => {
    const longest = kind === 'down' ? LONGEST_DOWN_MS : LONGEST_BACKOFF_MS
    const first = kind === 'down' ? FIRST_BACKOFF_MS : Math.max(FIRST_BACKOFF_MS, usualMs / 2)
    return Math.min(longest, first * 2 ** refusals++) * (0.5 + random())
  }

  const pass = (): Entry => {
    const mine = windows.enter()
    const sentAt = clock.now()
    let inside = true
    inFlight += 1
    return {
      met(what) {
        if (inside) inFlight -= 1
        if (what.kind === 'ok' && inside) accepted(mine, what.resetMs)
        if (what.kind === 'limited') refused(mine, what)
        // While others are answered it is this request that fails, not the vendor.
        if (what.kind === 'down' && acceptedAt <= sentAt) refused(mine, what)
        if (what.kind === 'exhausted') exhausted = { until: clock.now() + what.waitMs, reason: what.reason }
        inside = false
        letIn()
      },
    }
  }
  const closure = (): Closure | undefined => {
    const now = clock.now()
    // When the time is up and nobody tries, the next request is sent at once.
    const tried = trouble !== undefined && queue.length + inFlight > 0
    if (!tried && !isClosed()) return undefined
    return { since: now, reason: USED_UP, ...trouble, until: Math.max(now, closedUntil) }
  }

  return {
    async enter(signal, patienceMs = Number.POSITIVE_INFINITY) {
      if (signal.aborted) return { refused: 'aborted' }
      const closed = closure()
      if (closed && closed.until - clock.now() > patienceMs) return { refused: 'closed', closure: closed }
      if (queue.length === 0 && isFree()) return pass()
      if (queue.length >= QUEUE) return { refused: 'full' }
      const { promise, resolve } = Promise.withResolvers<Entry>()
      const place = { admit: () => resolve(pass()) }
      const leave = (how: Entry): void => {
        const at = queue.indexOf(place)
        if (at === -1) return
        queue.splice(at, 1)
        resolve(how)
      }
      const abort = (): void => leave({ refused: 'aborted' })
      const giveUp = (): void => leave({ refused: 'closed', closure: closure() ?? fullNow(clock.now()) })
      queue.push(place)
      signal.addEventListener('abort', abort, { once: true })
      const patience = patienceMs < LONGEST_TIMER_MS ? setTimeout(giveUp, patienceMs) : undefined
      return promise.finally(() => {
        clearTimeout(patience)
        signal.removeEventListener('abort', abort)
      })
    },
    get waiting() {
      return queue.length
    },
    get exhausted() {
      return exhausted !== undefined && exhausted.until > clock.now() ? exhausted : undefined
    },
    get closure() {
      return closure()
    },
  }
}

/** A timer that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

const fullNow = (now: number): Closure => ({
  since: now,
  until: now,
  reason: 'More requests wait for the account than it takes in time.',
})
