import { expect, test } from 'vitest'
import type { Delta, Event } from '../contract/events.ts'
import { endsWriting, foldText, foldWriting, nothingYet, type Writing } from './writing.ts'

const about = { project: 'p', sessionId: 's', turnId: 'turn_1', attempt: 'a', seq: 7, kind: 'text' as const }
const write = (pieces: readonly Partial<Delta>[]): Writing | undefined =>
  pieces.reduce<Writing | undefined>(
    (writing, piece) => foldWriting(writing, { ...about, offset: 0, text: '', ...piece }),
    undefined,
  )

test('a text that is sent again from its beginning is there once, and goes on behind it', () => {
  const writing = write([
    { offset: 0, text: 'One ' },
    { offset: 4, text: 'two ' },
    { offset: 0, text: 'One two three ' },
    { offset: 14, text: 'four' },
  ])
  expect(writing).toMatchObject({ seq: 7, text: { missing: 0, text: 'One two three four' } })
})

test('behind a gap only what is in one piece is kept, and it says how much is missing', () => {
  expect(write([{ text: 'One ' }, { offset: 10, text: 'far ' }, { offset: 14, text: 'on' }])?.text).toEqual({
    missing: 10,
    text: 'far on',
  })
})

test('the beginning heals what came without it', () => {
  expect(write([{ offset: 8, text: 'three' }, { text: 'One two three' }])?.text).toEqual({
    missing: 0,
    text: 'One two three',
  })
})

test('what is thought and what is said are counted apart, and a new attempt begins anew', () => {
  const thought = write([{ kind: 'reasoning', text: 'Hm' }, { text: 'Well' }])
  expect([thought?.reasoning.text, thought?.text.text]).toEqual(['Hm', 'Well'])
  const again = write([{ text: 'Well' }, { attempt: 'b', text: 'So' }])
  expect([again?.attempt, again?.text.text]).toEqual(['b', 'So'])
})

test('what a tool prints is no message; of much of it the end is kept, whatever is sent again', () => {
  expect(write([{ kind: 'output', text: 'x' }])).toBeUndefined()
  const printed = foldText(foldText(nothingYet, { offset: 0, text: 'abcdef' }, 4), { offset: 6, text: 'gh' }, 4)
  expect(printed).toEqual({ missing: 4, text: 'efgh' })
  expect(foldText(printed, { offset: 0, text: 'abcdefgh' }, 4)).toEqual(printed)
})

test('it ends with its own message or its own turn, not with those before it that are told late', () => {
  const writing = write([{ text: 'Well' }])!
  const event = (type: Event['type'], data: Event['data']): Event => ({ seq: '1', at: '', type, project: 'p', data })
  const ends = [
    event('message.appended', { seq: 6 }),
    event('turn.ended', { turnId: 'turn_0' }),
    event('message.appended', { seq: 7 }),
    event('turn.ended', { turnId: 'turn_1' }),
  ].map((one) => endsWriting(writing, one))
  expect(ends).toEqual([false, false, true, true])
})
