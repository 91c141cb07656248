import { expect, test } from 'vitest'
import type { Message, Part } from '../../contract/messages.ts'
import { createRepeats } from './stall.ts'

let made = 0
const message = (role: Message['role'], parts: Part[]): Message => {
  made += 1
  return { id: `msg_${made}`, seq: made, role, parts, createdAt: '2030-01-01T00:00:00.000Z' }
}

/** One step: an answer with these calls, and their results. */
function step(...calls: { name?: string; input?: unknown; output: unknown }[]): Message[] {
  const named = calls.map((call) => {
    made += 1
    return { name: 'look', input: {}, ...call, callId: `call_${made}`, vendorCallId: `v${made}` }
  })
  return [
    message(
      'assistant',
      named.map(({ output: _, ...call }) => ({ type: 'tool-call', ...call })),
    ),
    ...named.map(({ input: _, ...result }) => message('tool', [{ type: 'tool-result', ...result }])),
  ]
}

test('the same call with the same result is counted', () => {
  const repeats = createRepeats()
  expect([1, 2, 3].map(() => repeats.observe(step({ output: 'same' })))).toEqual([1, 2, 3])
})

test('equal calls of one step count once: the model had seen no result when it made them', () => {
  const repeats = createRepeats()
  expect(repeats.observe(step({ output: 'same' }, { output: 'same' }, { output: 'same' }))).toBe(1)
  const [answer, first, second] = step({ output: 'same' }, { output: 'same' })
  expect([repeats.observe([answer!, first!]), repeats.observe([second!])]).toEqual([2, 2])
})

test('another input, another tool or another result is another call', () => {
  const repeats = createRepeats()
  repeats.observe(step({ input: { path: 'a' }, output: 'x' }))
  expect(repeats.observe(step({ input: { path: 'b' }, output: 'x' }))).toBe(1)
  expect(repeats.observe(step({ name: 'peek', input: { path: 'a' }, output: 'x' }))).toBe(1)
  expect(repeats.observe(step({ input: { path: 'a' }, output: 'y' }))).toBe(1)
  expect(repeats.observe(step({ input: { path: 'a' }, output: 'x' }))).toBe(2)
})

test('blanks and the order of fields in the input do not make it another call', () => {
  const repeats = createRepeats()
  repeats.observe(step({ input: { path: 'a b', deep: [{ x: 1, y: 2 }] }, output: 'x' }))
  expect(repeats.observe(step({ input: { deep: [{ y: 2, x: 1 }], path: ' a  b\n' }, output: 'x' }))).toBe(2)
})

test('of a step the most repeated call counts, and calls between do not take its count away', () => {
  const repeats = createRepeats()
  repeats.observe(step({ output: 'a' }, { output: 'b' }))
  repeats.observe(step({ output: 'c' }))
  expect(repeats.observe(step({ output: 'a' }, { output: 'd' }))).toBe(2)
  expect(repeats.observe(step({ output: 'e' }))).toBe(1)
})

test('results that come one by one belong to the step of their calls', () => {
  const repeats = createRepeats()
  repeats.observe(step({ output: 'a' }, { output: 'b' }))
  const [answer, first, second] = step({ output: 'a' }, { output: 'z' })
  repeats.observe([answer!, first!])
  expect(repeats.observe([second!])).toBe(2)
})
