import type { Clock } from '../../../lib/clock.ts'

/** The requests since the door last opened. */
export interface Period {
  /** When the first of them was sent. */
  since: number | undefined
  sent: number
  passed: number
}

/** What an account takes in a window of time, learnt from a burst that it refused in the end. */
interface Windows {
  readonly learned: boolean
  /** The door opened: a new period begins. */
  begin(): void
  /** A request is sent. */
  enter(): Period
  passed(by: Period): void
  /** The account refused a request and named the time until it takes more. */
  refused(by: Period, waitMs: number): void
  /** When more may be sent; undefined when more may be sent now. */
  fullUntil(): number | undefined
}

/** Fewer requests than this are no burst: the account refused for another reason than their number. */
const BURST = 3

interface Learned {
  readonly from: Period
  most: number
  step: number
  readonly windowMs: number
}

export function createWindows(clock: Clock): Windows {
  let period: Period = { since: undefined, sent: 0, passed: 0 }
  let learned: Learned | undefined

  /** A window that took all it was allowed is allowed more: one more, then two, four. */
  const begin = (): void => {
    if (learned && learned.from !== period && period.passed >= learned.most) {
      learned.most += learned.step
      learned.step *= 2
    }
    period = { since: undefined, sent: 0, passed: 0 }
  }
  return {
    get learned() {
      return learned !== undefined
    },
    begin,
    enter() {
      period.since ??= clock.now()
      period.sent += 1
      return period
    },
    passed(by) {
      by.passed += 1
      // The request was sent before the door closed, and accepted after.
      if (learned?.from === by) learned.most = Math.max(learned.most, by.passed)
    },
    refused(by, waitMs) {
      const lastedMs = clock.now() - (by.since ?? clock.now())
      // Requests that took longer than the pause which is asked for were no burst, and the quiet between them no window.
      if (by !== period || by.passed < BURST || lastedMs > waitMs) return
      learned = { from: by, most: by.passed, windowMs: lastedMs + waitMs, step: 1 }
    },
    fullUntil() {
      if (learned === undefined || period.sent < learned.most || period.since === undefined) return undefined
      const windowEnds = period.since + learned.windowMs
      if (clock.now() < windowEnds) return windowEnds
      begin()
      return undefined
    },
  }
}
