import { expect, test } from 'vitest'
import type { Delta } from '../../contract/events.ts'
import { createWritten } from './written.ts'

const about = { project: 'p', sessionId: 's', turnId: 't', attempt: 'a', kind: 'text' as const }

test('of a text that is too long the end is kept, and its offset says what is missing', () => {
  const written = createWritten(10)
  const whole = Array.from({ length: 50 }, (_, at) => `${at} `).join('')
  for (let at = 0; at < whole.length; at += 3) written.add({ ...about, offset: at, text: whole.slice(at, at + 3) })
  const [kept] = written.soFar() as [Delta]
  expect(kept.text).toBe(whole.slice(kept.offset))
  expect(kept.text.length).toBeGreaterThanOrEqual(10)
  expect(kept.text.length).toBeLessThanOrEqual(20)
})

test('each text of each attempt is kept until its attempt ends', () => {
  const written = createWritten()
  const texts = (): string[] => written.soFar().map(({ attempt, kind, text }) => `${attempt} ${kind} ${text}`)
  written.add({ ...about, offset: 0, text: 'One' })
  written.add({ ...about, kind: 'reasoning', offset: 0, text: 'Hm' })
  written.add({ ...about, attempt: 'b', offset: 0, text: 'Else' })
  written.add({ ...about, offset: 3, text: ' two' })
  expect(texts()).toEqual(['a text One two', 'a reasoning Hm', 'b text Else'])
  written.end('a')
  expect(texts()).toEqual(['b text Else'])
})
