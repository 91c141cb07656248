import { expect, test } from 'vitest'
import type { Event } from '../contract/events.ts'
import { sentenceOf } from './sentences.ts'

const event = (type: Event['type'], data: Event['data']): Event => ({
  seq: '1',
  at: '2026-01-01T00:00:00.000Z',
  type,
  project: 'p',
  data,
})

test('an event is told in one line of words, with its reason where it has one', () => {
  expect(sentenceOf(event('session.status', { from: 'idle', to: 'error', reason: 'No model.' }))).toBe(
    'From idle to error: No model.',
  )
  expect(
    sentenceOf(event('tool.ended', { callId: 'c', name: 'bash', durationMs: 2400, ok: false, preview: 'no\n\nsuch' })),
  ).toBe('bash failed in 2 s: no such')
  expect(sentenceOf(event('log', { level: 'info', message: 'x'.repeat(5000) })).length).toBeLessThan(310)
})

test('what is counted inside is told by what it is for', () => {
  const reserved = { turnId: 'turn_1', budgets: ['day:2026-11-18', 'turn:turn_1'], usd: 0.5 }
  expect(sentenceOf(event('budget.reserved', reserved))).toBe('Put aside $0.50 under the day and the turn')
  expect(sentenceOf(event('session.updated', { changed: { readSeq: 4 } }))).toBe('You read up to message 4')
  expect(sentenceOf(event('inbox.added', { inboxId: 'i', kind: 'approval', title: 'ann wants to use bash' }))).toBe(
    'For you, an approval: ann wants to use bash',
  )
})

test('an event without words of its own has its name', () => {
  expect(sentenceOf(event('compaction.asked', { focus: '' }))).toBe('compaction asked')
})
