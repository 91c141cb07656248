import { describe, expect, test } from 'vitest'
import type { CatchUp } from '../../contract/triggers.ts'
import { type Due, dueAt, MADE_UP } from './due.ts'
import { seriesOf } from './occurrences.ts'

const at = (time: string): number => Date.parse(time)
const isoOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString()

const cron = (pattern: string, timeZone?: string) =>
  seriesOf({ type: 'scheduled', config: { cron: pattern, ...(timeZone && { timeZone }) } }, 0)!

const run = (pattern: string, timeZone: string, from: string, count: number): (string | undefined)[] => {
  const series = cron(pattern, timeZone)
  const found: number[] = []
  for (let after = at(from); found.length < count; after = found.at(-1)!) found.push(series.next(after)!)
  return found.map(isoOf)
}

describe('a schedule', () => {
  test('has five fields or six, names, and a time zone', () => {
    expect(run('0 9 * * MON-FRI', 'Europe/Berlin', '2026-11-20T12:00:00Z', 2)).toEqual([
      '2026-11-23T08:00:00.000Z',
      '2026-11-24T08:00:00.000Z',
    ])
    expect(run('30 0 0 1 JAN *', 'UTC', '2026-11-20T12:00:00Z', 1)).toEqual(['2027-01-01T00:00:30.000Z'])
  })

  test('comes once on the day when its hour does not exist, and once on the day when its hour is twice', () => {
    const spring = run('30 2 * * *', 'Europe/Berlin', '2026-03-27T12:00:00Z', 3)
    expect(spring).toEqual(['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'])
    const autumn = run('30 2 * * *', 'Europe/Berlin', '2026-10-23T12:00:00Z', 3)
    expect(autumn).toEqual(['2026-10-24T00:30:00.000Z', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'])
  })

  test('looks back to the same moments as it looks forward, also over a change of clocks', () => {
    for (const from of ['2026-03-28T00:00:00Z', '2026-10-24T00:00:00Z']) {
      const series = cron('*/30 * * * *', 'Europe/Berlin')
      const forward: number[] = []
      for (let next = at(from); forward.length < 100; next = forward.at(-1)!) forward.push(series.next(next)!)
      expect(series.last(forward.at(-1)!, 100)).toEqual(forward)
      expect(series.last(forward.at(-1)! + 999, 3)).toEqual(forward.slice(-3))
      expect(series.last(forward.at(-1)! - 1, 1)).toEqual([forward.at(-2)])
    }
  })

  test('that cannot be read is refused with the way out', () => {
    for (const wrong of ['x', '* * *', '61 * * * *', '* * * * * * *']) {
      expect(() => cron(wrong)).toThrow(/^config\.cron: .* is not a schedule/)
    }
  })
})

test('intervals are counted from their anchor, so none drifts', () => {
  const series = seriesOf({ type: 'heartbeat', config: { intervalSeconds: 10 } }, 1000)!
  expect([series.next(0), series.next(1000), series.next(10_999), series.next(11_000)]).toEqual([
    11_000, 11_000, 11_000, 21_000,
  ])
  expect(series.last(31_500, 2)).toEqual([21_000, 31_000])
  expect(series.last(10_999, 5)).toEqual([])
})

describe('what is due', () => {
  const every = seriesOf({ type: 'heartbeat', config: { intervalSeconds: 600 } }, 0)!
  const minutes = (count: number): number => count * 60_000
  const due = (nextDue: number, now: number, catchUp: CatchUp = 'one', once = false): Due =>
    dueAt(every, { nextDue: minutes(nextDue), now: minutes(now), catchUp, once })

  test('in time is acted on, and the next one comes after it', () => {
    expect(due(10, 10.5)).toEqual({
      passed: [],
      as: 'coalesced',
      act: { due: minutes(10), outcome: 'fired' },
      next: minutes(20),
    })
    expect(due(10, 9)).toEqual({ passed: [], as: 'coalesced', next: minutes(10) })
  })

  test('late is made up for once, and the others are said to be in it', () => {
    const { passed, act, next, as } = due(10, 45)
    expect([as, act, next]).toEqual(['coalesced', { due: minutes(40), outcome: 'caught_up' }, minutes(50)])
    expect(passed.map((one) => one.due)).toEqual([10, 20, 30].map(minutes))
  })

  test('late is missed when nothing is to be made up for, but what is in time is acted on', () => {
    expect(due(10, 45, 'none')).toMatchObject({ as: 'missed', next: minutes(50) })
    expect(due(10, 45, 'none').passed).toHaveLength(4)
    expect(due(10, 45, 'none').act).toBeUndefined()
    expect(due(10, 40.5, 'none')).toMatchObject({ as: 'missed', act: { due: minutes(40), outcome: 'fired' } })
  })

  test('late is made up for one by one when all is, but no more than a hundred', () => {
    expect(due(10, 45, 'all')).toMatchObject({ passed: [], act: { due: minutes(10) }, next: minutes(20) })
    const { passed, act, next } = due(10, 10 * 250, 'all')
    expect(passed).toEqual([{ since: minutes(10), due: minutes(10 * 150), covers: 150 }])
    expect([act?.due, next]).toEqual([minutes(1510), minutes(1520)])
  })

  test('of years is not counted one by one, and the newest of it is known all the same', () => {
    const seconds = seriesOf({ type: 'heartbeat', config: { intervalSeconds: 1 } }, 0)!
    const now = minutes(60 * 24 * 365)
    const { passed, act } = dueAt(seconds, { nextDue: 1000, now, catchUp: 'one', once: false })
    expect(passed[0]).toEqual({ since: 1000, due: now - MADE_UP * 1000, covers: 10_000 })
    expect(passed).toHaveLength(MADE_UP)
    expect(act?.due).toBe(now)
  })

  test('once is made up for, whatever the policy says', () => {
    const single = seriesOf({ type: 'at_time', config: { at: '2026-01-01T00:00:00Z' } }, 0)!
    const now = at('2026-06-01T00:00:00Z')
    const found = dueAt(single, { nextDue: at('2026-01-01T00:00:00Z'), now, catchUp: 'none', once: true })
    expect(found).toMatchObject({ passed: [], act: { outcome: 'caught_up' }, next: undefined })
  })
})
