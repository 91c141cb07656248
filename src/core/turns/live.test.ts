import { expect, test } from 'vitest'
import { createMask } from '../../lib/mask.ts'
import type { Core } from '../base/core.ts'
import { createBus } from '../base/events.ts'
import { liveText } from './live.ts'

const secret = 'a-very-secret-key-of-mine-0123456789'
const about = { project: 'p', sessionId: 's', turnId: 't', attempt: 'a' }

function listening() {
  const bus = createBus()
  const core = { mask: createMask(() => [secret]), bus } as unknown as Core
  const heard: string[] = []
  return { bus, live: liveText(core, about), heard, listen: () => bus.onDelta(({ text }) => heard.push(text)) }
}

test('a secret that is cut by a piece of another kind is hidden', () => {
  const { live, heard, listen } = listening()
  listen()
  live.write('text', `key ${secret.slice(0, 20)}`)
  live.write('reasoning', 'hm')
  live.write('text', `${secret.slice(20)} end`)
  live.end()
  expect(heard.join('')).not.toContain(secret.slice(0, 12))
  expect(heard.join('')).not.toContain(secret.slice(-12))
  expect(heard.join('')).toContain('[secret] end')
})

test('whoever begins to listen in the middle of a secret does not hear the rest of it', () => {
  const { live, heard, listen } = listening()
  live.write('text', `key ${secret.slice(0, 6)}`)
  listen()
  live.write('text', `${secret.slice(6)} end`)
  live.end()
  expect(heard.join('')).not.toContain(secret.slice(-12))
})

test('what was written before anybody listened is kept without secrets until it is complete', () => {
  const { bus, live } = listening()
  live.write('text', `One ${secret} two `)
  live.write('text', 'three')
  expect(bus.soFar()).toEqual([{ ...about, kind: 'text', offset: 0, text: 'One [secret] two three' }])
  live.end()
  expect(bus.soFar()).toEqual([])
})
