import { isEvent } from '../../../../src/contract/event-handlers.ts'
import type { Event } from '../../../../src/contract/events.ts'

/** Where each event of a run stands on the slider, from 0 to 1. Long waits are drawn short, so that work has room. */
export interface Timeline {
  readonly at: readonly number[]
  /** How much happened, in parts of equal width, from 0 to 1. */
  readonly bars: readonly number[]
  readonly marks: readonly Mark[]
}

export interface Mark {
  readonly kind: 'stage' | 'question'
  /** How many events have happened with it. */
  readonly count: number
  readonly place: number
  readonly label: string
  readonly time: string
}

const BARS = 120
/** The share of the pauses that counts as work, and how much of it one longer pause may take. */
const ORDINARY = 0.95
const PAUSE = 1 / 20

export function timelineOf(events: readonly Event[]): Timeline {
  const times = events.map(({ at }) => Date.parse(at))
  const gaps = times.map((time, n) => (n === 0 ? 0 : Math.max(0, time - times[n - 1]!)))
  const ordinary = gaps.toSorted((a, b) => a - b).slice(0, Math.ceil(gaps.length * ORDINARY))
  const longest = Math.max(1, ordinary.reduce((sum, gap) => sum + gap, 0) * PAUSE)
  let sum = 0
  const reached = gaps.map((gap) => {
    sum += Math.min(gap, longest)
    return sum
  })
  const at = reached.map((length) => (sum === 0 ? 1 : length / sum))
  return { at, bars: barsOf(at), marks: marksOf(events, at) }
}

function barsOf(at: readonly number[]): readonly number[] {
  const counts = new Array<number>(BARS).fill(0)
  for (const place of at) counts[Math.min(BARS - 1, Math.floor(place * BARS))]! += 1
  const most = Math.max(1, ...counts)
  // The root, so that a part in which little happened can be seen beside one in which much did.
  return counts.map((count) => Math.sqrt(count / most))
}

const marksOf = (events: readonly Event[], at: readonly number[]): readonly Mark[] =>
  events.flatMap((event, n): Mark[] => {
    const there = { count: n + 1, place: at[n]!, time: event.at }
    if (isEvent(event, 'stage.started')) return [{ kind: 'stage', label: event.data.name, ...there }]
    const asks = isEvent(event, 'inbox.added') && (event.data.kind === 'question' || event.data.kind === 'approval')
    return asks ? [{ kind: 'question', label: String(event.data.title), ...there }] : []
  })

/** How many events have happened at a place of the slider. */
export function countAt({ at }: Timeline, place: number): number {
  let [low, high] = [0, at.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (at[middle]! <= place) low = middle + 1
    else high = middle
  }
  return low
}
