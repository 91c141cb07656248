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

test('an event without words of its own has its name', () => {
  expect(sentenceOf(event('compaction.asked', { focus: '' }))).toBe('compaction asked')
})
