import type { CatchUp } from '../../contract/triggers.ts'
import type { Series } from './occurrences.ts'

/** An occurrence that is served this much after its time is still in time: servers start, machines are busy. */
const IN_TIME_MS = 60_000
/** So many occurrences in the past get a row of their own, or are made up for; those before them share one. */
export const MADE_UP = 100
/** Further than this nobody counts. */
const COUNTED = 10_000

/** Occurrences in a row with one outcome. */
export interface Passed {
  readonly since: number
  readonly due: number
  readonly covers: number
}

/** What is to be done about all occurrences that are due: which pass without an act, which one is acted on, what is next. */
export interface Due {
  readonly passed: readonly Passed[]
  readonly as: 'coalesced' | 'missed'
  /** `occasion` where it is not its due time; `seen` is what the trigger remembers of it. */
  readonly act?: {
    readonly due: number
    readonly outcome: 'fired' | 'caught_up'
    readonly occasion?: string
    readonly seen?: string
  }
  readonly next: number | undefined
}

interface Moment {
  /** The first occurrence without an outcome. */
  readonly nextDue: number
  readonly now: number
  readonly catchUp: CatchUp
  /** It has one occurrence, which is made up for whenever that is. */
  readonly once: boolean
}

export function dueAt(series: Series, { nextDue, now, catchUp, once }: Moment): Due {
  if (nextDue > now) return { passed: [], as: 'coalesced', next: nextDue }
  const recent = series.last(now, MADE_UP).filter((at) => at >= nextDue)
  // An occurrence that the series no longer has was due all the same.
  if (recent.length === 0) recent.push(nextDue)
  const older = olderThan(series, nextDue, recent[0]!)
  const last = recent.at(-1)!
  const outcome = (at: number) => (now - at <= IN_TIME_MS ? 'fired' : 'caught_up')
  const after = once ? undefined : series.next(Math.max(last, now))
  if (catchUp === 'all' && !once) {
    const [first, second] = recent
    return {
      passed: older,
      as: 'coalesced',
      act: { due: first!, outcome: outcome(first!) },
      next: second ?? series.next(first!),
    }
  }
  const each = recent.map((at) => ({ since: at, due: at, covers: 1 }))
  if (catchUp === 'none' && !once && outcome(last) !== 'fired') {
    return { passed: [...older, ...each], as: 'missed', next: after }
  }
  return {
    passed: [...older, ...each.slice(0, -1)],
    as: catchUp === 'none' ? 'missed' : 'coalesced',
    act: { due: last, outcome: outcome(last) },
    next: after,
  }
}

/** All from the first one up to, and without, the oldest of the recent ones. */
function olderThan(series: Series, nextDue: number, recent: number): Passed[] {
  if (nextDue >= recent) return []
  let covers = 0
  let due = nextDue
  for (let at: number | undefined = nextDue; at !== undefined && at < recent && covers < COUNTED; ) {
    due = at
    covers += 1
    at = series.next(at)
  }
  const uncounted = covers === COUNTED ? series.last(recent - 1, 1).at(-1) : undefined
  return [{ since: nextDue, due: uncounted ?? due, covers }]
}
