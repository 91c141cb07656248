import { expect, test } from 'vitest'
import type { Event } from '../contract/events.ts'
import type { Message } from '../contract/messages.ts'
import { troupe } from './called.ts'
import { previewLine, transcript } from './transcript.ts'

const at = '2026-01-01T00:00:00.000Z'
const text = (words: string) => [{ type: 'text' as const, text: words }]
const line = (seq: number, more: Partial<Message>): Message => ({
  id: `msg_${seq}`,
  seq,
  role: 'user',
  from: { kind: 'human' },
  parts: [],
  createdAt: at,
  ...more,
})

test('what was edited or deleted is marked and followed by what it said before', () => {
  const shown = transcript([
    line(1, { parts: text('I like water'), editedAt: at, replaced: [{ parts: text('I like tea'), at }] }),
    line(2, { deletedAt: at, replaced: [{ parts: text('Never\nmind'), at }] }),
    line(3, { deletedAt: at }),
    line(4, { parts: text('Go on') }),
  ])
  expect(shown.split('\n\n').map((block) => block.split('\n'))).toEqual([
    ['#1 human (edited)', 'I like water', 'before: I like tea'],
    ['#2 human (deleted)', 'before: Never mind'],
    ['#4 human', 'Go on'],
  ])
})

test('what happened besides the messages stands at its place, in whole sentences', () => {
  const event = (type: Event['type'], data: Record<string, unknown>): Event => ({
    seq: '1',
    at,
    type,
    project: 'p',
    data,
  })
  const appended = (seq: number) => event('message.appended', { seq })
  const long = 'so it is '.repeat(100)
  const shown = transcript(
    [line(1, { parts: text('Hi') }), line(2, { parts: text('Again') })],
    [
      appended(1),
      event('model.switched', { from: 'a/a', to: 'b/b', reason: 'See "troupe models".' }),
      appended(2),
      event('turn.ended', { end: 'error', reason: long }),
    ],
  )
  const expected = [
    `#1 human\nHi\n(Now with b/b instead of a/a: See "${troupe} models".)`,
    `#2 human\nAgain\n✗ error: ${long}`,
  ]
  expect(shown).toBe(expected.join('\n\n'))
})

test('a call whose input was cut still says what it is about', () => {
  expect(previewLine('write_file', '{"path":"a/b.md","content":"# Dra')).toBe('write_file a/b.md')
  expect(previewLine('bash', '{"command":"ls -la"}')).toBe('bash ls -la')
  expect(previewLine('bash', '{"command":"echo one two thr')).toBe('bash {"command":"echo one two thr')
})
