import { expect, test } from 'vitest'
import type { Top, TopItem } from '../contract/top.ts'
import { uncoloured } from './print.ts'
import { topLines } from './top-lines.ts'

const item = (number: number): TopItem => ({
  sessionId: String(number).padStart(32, '0'),
  handle: String(number).padStart(4, '0'),
  agent: 'ann',
  mode: 'task',
  project: '/yard',
  title: '',
  status: 'waiting',
  depth: 0,
  activity: 'waits for you',
  since: '2030-01-01T00:00:00.000Z',
  tokensPerSecond: 0,
  costUsd: 0,
  totalCostUsd: 0,
  unpricedTokens: 0,
})

const shown = (count: number, more: number, height?: number, inbox = 0): string[] => {
  const top: Top = {
    items: Array.from({ length: count }, (_, at) => item(at)),
    more,
    tasks: { pending: 0, processing: 0, waiting: count },
    inbox,
    tokensPerSecond: 0,
    costTodayUsd: 0,
    unpricedTokensToday: 0,
  }
  return topLines(top, 80, Date.parse('2030-01-01T00:05:00Z'), height).map(uncoloured)
}

test('what the screen has no room for is counted in its last line', () => {
  const lines = shown(100, 100, 22)
  expect(lines).toHaveLength(22)
  expect(lines.at(-1)).toContain('and 181 more')
  expect(lines.every((line) => line.length <= 80)).toBe(true)
  expect(shown(20, 0, 22).at(-1)).toContain('0019')
  expect(shown(100, 100).at(-1)).toContain('and 100 more')
})

test('what waits for the person is not cut off, however narrow the screen', () => {
  const [head] = shown(1, 0, 22, 801)
  expect(head).toHaveLength(80)
  expect(head).toMatch(/^801 for you in the inbox · 0 running, 1 waiting · .*…$/)
})
