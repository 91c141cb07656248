import { expect, test } from 'vitest'
import type { Row } from '../bench/suite.ts'
import { tableOf } from '../bench/table.ts'

const row = (more: Partial<Row>): Row => ({ label: 'work', unit: 'ms', digits: 1, rounds: {}, ...more })
const lastLine = (rows: Row[]): string => tableOf('suite', rows).trimEnd().split('\n').at(-1)!

test('a row shows the medians and the median of the ratios of its rounds', () => {
  const line = lastLine([row({ rounds: { bare: [1, 2, 10], ours: [3, 4, 10] } })])
  expect(line.split(/ {2,}/)).toEqual(['work, ms', '2.0', '4.0', '2.00'])
})

test('a goal against a floor is missed when the ratio is above it', () => {
  const rounds = { raw: [10], ours: [26] }
  expect(lastLine([row({ rounds, goal: { raw: 2.5 } })])).toMatch(/2\.5 raw: missed$/)
  expect(lastLine([row({ rounds, goal: { raw: 2.6 } })])).toMatch(/2\.6 raw: met$/)
})

test('a goal in the unit of its row is missed when ours is above it', () => {
  expect(lastLine([row({ rounds: { ours: [51] }, most: 50 })])).toMatch(/50 ms: missed$/)
  expect(lastLine([row({ rounds: { ours: [50] }, most: 50 })])).toMatch(/50 ms: met$/)
})

test('a goal for which nothing was measured is not met', () => {
  expect(lastLine([row({ most: 50 })])).toMatch(/50 ms: not measured$/)
  expect(lastLine([row({ rounds: { ours: [1] }, goal: { raw: 2 } })])).toMatch(/2 raw: not measured$/)
})

test('a floor that no row of the suite has gets no column', () => {
  const [head] = tableOf('suite', [row({ rounds: { bare: [1], ours: [1] } })]).split('\n')
  expect(head!.split(/ {2,}/)).toEqual(['suite', 'bare', 'ours', 'x bare', 'goal'])
})
