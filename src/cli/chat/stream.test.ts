import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocks, blocksOf } from './markdown.ts'
import { createTextStream } from './stream.ts'

const text = `# Title

A paragraph with **bold** text
and a second line.

- one
- two
  - three

1. first

\`\`\`ts
const a = 1

const b = 2
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted

The end.`

test('in whatever pieces a text comes, in the end it looks as if it had come whole', () => {
  const whole = blocks(blocksOf(text), 60)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sizes) => {
      const stream = createTextStream()
      const given: string[] = []
      let at = 0
      for (let turn = 0; at < text.length; turn += 1) {
        const size = sizes[turn % sizes.length]!
        stream.push(text.slice(at, at + size))
        at += size
        given.push(...stream.finished(60))
      }
      given.push(...stream.end(text, 60))
      expect(given).toEqual(whole)
    }),
    { numRuns: 200 },
  )
})

test('a block is given out once the next one has begun, not before', () => {
  const stream = createTextStream()
  stream.push('First par')
  expect(stream.finished(60)).toEqual([])
  expect(stream.tail(60)).toEqual(['First par'])
  stream.push('agraph.\n\nSec')
  expect(stream.finished(60)).toEqual(['First paragraph.'])
  expect(stream.tail(60)).toEqual(['', 'Sec'])
})

test('the log is the truth: when it differs from what came in pieces, all of it is shown', () => {
  const stream = createTextStream()
  stream.push('One.\n\nTwo.\n\nThr')
  expect(stream.finished(60)).toEqual(['One.', '', 'Two.'])
  expect(stream.end('Uno.\n\nTwo.', 60).filter(Boolean)).toEqual(['Uno.', 'Two.'])
})

test('after a new start nothing of the old text is left', () => {
  const stream = createTextStream()
  stream.push('Half a sent')
  stream.restart()
  expect(stream.begun).toBe(false)
  stream.push('Whole.')
  expect(stream.tail(60)).toEqual(['Whole.'])
})
