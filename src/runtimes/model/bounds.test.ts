import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modelOf, protocols, runtimeFor, takeStep, tool, user } from '../../../test/kit/vendor/runtime.ts'
import { type Reply, startVendor, type Vendor } from '../../../test/kit/vendor/server.ts'
import { callsOf } from '../../contract/messages.ts'
import { ANSWER_CHARS, CALL_CHARS } from './wire/measure.ts'

let vendor: Vendor
beforeAll(async () => {
  vendor = await startVendor()
})
afterAll(() => vendor.close())

const some = 'x'.repeat(3000)
const WRITTEN = { megabytes: 64 }

describe.each(protocols)('over %s', (protocol) => {
  const step = (reply: Reply) => {
    const word = `${protocol}:${JSON.stringify(reply).slice(-60)}`
    vendor.queue({ word }, reply)
    const request = { model: modelOf(protocol), history: [user(word)], tools: [tool('a')] }
    return takeStep(runtimeFor(vendor), request)
  }

  test('a text without an end is cut, and nobody asks for it again', async () => {
    const { error, tokens, deltas } = await step({ text: some, chunks: 1, flood: { of: 'text', ...WRITTEN } })
    expect(error?.kind).toBe('bad-request')
    expect(error?.message).toMatch(/was cut and not kept: it was longer than 4 MB\. Ask for less/)
    const heard = deltas.reduce((sum, { text }) => sum + text.length, 0)
    expect(heard).toBeLessThan(ANSWER_CHARS + some.length)
    // What came is paid for, though the vendor never said how much it was.
    expect(tokens.output).toBeGreaterThan(heard / 4 - 1)
  })

  test('comments and a line without an end are cut when they have said nothing for long enough', async () => {
    for (const of of ['comments', 'line'] as const) {
      const { error } = await step({ text: some, flood: { of, ...WRITTEN } })
      expect([of, error?.kind]).toEqual([of, 'bad-request'])
      expect(error?.message).toMatch(/it said nothing in 16 MB/)
    }
  })

  // One vendor sends an input in one piece.
  if (protocol === 'google') return
  test('a call without an end is cut and kept by its beginning, so that the model can be told', async () => {
    const calls = [{ name: 'a', input: `{"text":"${some}` }]
    const { finish, parts, cut, tokens } = await step({ text: 'Well.', calls, flood: { of: 'call', ...WRITTEN } })
    expect({ finish, cut }).toEqual({
      finish: 'length',
      cut: 'The answer was cut: the input of one call was larger than 512 KB.',
    })
    expect(parts[0]).toMatchObject({ text: 'Well.' })
    const [call] = callsOf(parts)
    expect(call).toMatchObject({ name: 'a', input: expect.stringMatching(/^\{"text":"xxx.*…$/) })
    expect(String(call?.input).length).toBeLessThan(2000)
    expect(tokens.output).toBeGreaterThan(CALL_CHARS / 4)
  })
})

test('an input that comes in one piece and is too large is cut as well', async () => {
  vendor.queue({ word: 'whole' }, { calls: [{ name: 'a', input: { text: 'x'.repeat(CALL_CHARS) } }] })
  const request = { model: modelOf('google'), history: [user('whole')], tools: [tool('a')] }
  const { finish, parts } = await takeStep(runtimeFor(vendor), request)
  expect(finish).toBe('length')
  expect(callsOf(parts)).toMatchObject([{ name: 'a', input: expect.any(String) }])
})

test('the page of an error is read only as far as it can matter', async () => {
  vendor.queue({ word: 'page' }, { error: { kind: 'bad-request', message: 'x'.repeat(4 * 1024 * 1024) } })
  const { error } = await takeStep(runtimeFor(vendor), { model: modelOf('anthropic'), history: [user('page')] })
  expect(error?.kind).toBe('bad-request')
  expect(error?.message.length).toBeLessThan(1000)
})
