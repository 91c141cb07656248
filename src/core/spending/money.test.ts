import { expect, test } from 'vitest'
import { dayOf, dayStart, dollars, nextDay, toNanos, toUsd } from './money.ts'

test('amounts are read by people: cents, and as many digits more as tell one from another', () => {
  expect([0, 1, 0.25, 0.01, 0.12345, 12.3, 0.0099999, 0.00123456, 0.0000004].map(dollars)).toEqual([
    ...['0.00 USD', '1.00 USD', '0.25 USD', '0.01 USD', '0.1235 USD', '12.30 USD'],
    ...['0.01 USD', '0.001235 USD', '0.00 USD'],
  ])
})

test('amounts are counted in whole billionths of a dollar, and never beyond what a number holds exactly', () => {
  expect([toNanos(0.1) + toNanos(0.2), toUsd(toNanos(0.000000001)), toNanos(1e9)]).toEqual([
    300_000_000,
    0.000000001,
    Number.MAX_SAFE_INTEGER,
  ])
})

test('a day begins at its local midnight and ends at the next one', () => {
  const noon = new Date(2026, 0, 31, 12).getTime()
  expect([dayOf(noon), dayStart(noon), nextDay(noon)]).toEqual([
    '2026-01-31',
    new Date(2026, 0, 31).getTime(),
    new Date(2026, 1, 1).getTime(),
  ])
})
