import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  modelOf,
  type ProtocolName,
  protocols,
  runtimeFor,
  takeStep,
  tool,
  user,
} from '../../../test/kit/vendor/runtime.ts'
import { startVendor, type Vendor } from '../../../test/kit/vendor/server.ts'
import { callsOf, textOf } from '../../contract/messages.ts'

let vendor: Vendor
beforeAll(async () => {
  vendor = await startVendor({ models: ['test-model', 'other-model'] })
})
afterAll(() => vendor.close())

describe.each(protocols)('a step over %s', (protocol) => {
  const step = (word: string, more: Partial<Parameters<typeof takeStep>[1]> = {}, options = {}) =>
    takeStep(runtimeFor(vendor, options), { model: modelOf(protocol), history: [user(word)], ...more })
  /** A word of its own per test, so that one server serves them all. */
  const word = (name: string): string => `${protocol}:${name}:`

  test('gives the text, tells it as it arrives, and counts the tokens', async () => {
    const w = word('text')
    vendor.queue({ word: w }, { text: 'Hello there, friend.', usage: { input: 50, cached: 20, output: 7 } })
    const result = await step(w)
    expect(result).toMatchObject({
      finish: 'stop',
      parts: [{ type: 'text', text: 'Hello there, friend.' }],
      tokens: { input: 50, cached: 20, output: 7, reasoning: 0 },
    })
    expect(result.error).toBeUndefined()
    expect(result.deltas.map((delta) => delta.text)).toEqual(['Hello ', 'there, ', 'friend.'])
  })

  test('gives the reasoning before the text, and takes it back in the next request', async () => {
    const w = word('reasoning')
    vendor.queue(
      { word: w },
      { reasoning: 'Let me think.', text: 'Yes.', usage: { reasoning: 5 } },
      { text: 'Still yes.' },
    )
    const first = await step(w)
    expect(first.parts.map((part) => part.type)).toEqual(['reasoning', 'text'])
    expect(first.tokens.reasoning).toBe(5)
    expect(first.deltas[0]).toEqual({ kind: 'reasoning', text: 'Let ' })
    const said = user('', { role: 'assistant', parts: [...first.parts], model: modelOf(protocol) })
    const second = await step(w, { history: [user(w), said, user('sure?')] })
    expect(textOf(second.parts)).toBe('Still yes.')
    expect(seen(w).at(-1)?.messages[1]).toMatchObject({ reasoning: 'Let me think.', text: 'Yes.' })
  })

  test('gives one call with an id of ours beside the vendor’s', async () => {
    const w = word('call')
    vendor.queue(
      { word: w },
      { text: 'Looking.', calls: [{ id: 'vendor_1', name: 'read_file', input: { path: 'a.txt' } }] },
    )
    const result = await step(w, { tools: [tool('read_file', { path: { type: 'string' } })] })
    expect(result.finish).toBe('tool-calls')
    expect(callsOf(result.parts)).toMatchObject([
      {
        type: 'tool-call',
        callId: expect.stringMatching(/^call_[0-9a-f]{24}$/),
        vendorCallId: 'vendor_1',
        name: 'read_file',
        input: { path: 'a.txt' },
      },
    ])
    expect(seen(w)[0]?.tools).toEqual(['read_file'])
  })

  test('gives parallel calls in their order', async () => {
    const w = word('parallel')
    const calls = ['a', 'b', 'c'].map((path) => ({ name: 'read_file', input: { path } }))
    vendor.queue({ word: w }, { calls })
    const result = await step(w, { tools: [tool('read_file')] })
    expect(callsOf(result.parts).map((call) => call.input)).toEqual([{ path: 'a' }, { path: 'b' }, { path: 'c' }])
    expect(new Set(callsOf(result.parts).map((call) => call.callId)).size).toBe(3)
  })

  test('keeps a call’s input as it came when it is not JSON, and none at all as an empty object', async () => {
    const w = word('badinput')
    vendor.queue(
      { word: w },
      {
        calls: [
          { name: 'a', input: '{"path": ' },
          { name: 'b', input: '' },
        ],
      },
    )
    const result = await step(w, { tools: [tool('a'), tool('b')] })
    // One vendor sends inputs as objects: half of one never comes.
    const broken = protocol === 'google' ? [] : ['{"path": ']
    expect(callsOf(result.parts).map((call) => call.input)).toEqual([...broken, {}])
  })

  test('says that an answer was cut by its limit, and keeps the half call as text', async () => {
    const w = word('length')
    const finish = words[protocol].length
    vendor.queue(
      { word: w },
      { text: 'A long', finish },
      { text: 'I will', calls: [{ name: 'a', input: '{"path": ' }], finish },
      { calls: [{ name: 'a', input: '{"path": ' }], finish },
    )
    const cut = 'The answer was cut at its limit of 512 tokens (maxOutputTokens).'
    const limited = { maxOutputTokens: 512 }
    expect(await step(w, limited)).toMatchObject({ finish: 'length', cut, parts: [{ type: 'text' }] })
    // One vendor sends inputs as objects: half of one never comes.
    const half = protocol === 'google' ? [] : [expect.stringContaining('{"path": ')]
    const both = await step(w)
    expect(both).toMatchObject({ finish: 'length', parts: [{ text: 'I will' }, ...half.map((input) => ({ input }))] })
    const alone = await step(w, limited)
    expect(callsOf(alone.parts).map(({ name, input }) => [name, input])).toEqual(half.map((input) => ['a', input]))
    if (half.length === 0) expect(alone.error).toMatchObject({ kind: 'bad-request' })
  })

  test('takes thoughts alone for no answer, and says when the limit left room for nothing else', async () => {
    const w = word('thoughts')
    vendor.queue({ word: w }, { reasoning: 'Hm.' }, { reasoning: 'Hm, hm.', finish: words[protocol].length })
    const only = await step(w)
    expect(only.error).toMatchObject({ kind: 'retry', message: expect.stringMatching(/thoughts without an answer/) })
    expect((await step(w, { maxOutputTokens: 512 })).error).toEqual({
      kind: 'bad-request',
      message: expect.stringMatching(/thought until its limit of 512 tokens .* was reached\. Raise maxOutputTokens/),
    })
  })

  test('says that the model refused', async () => {
    const w = word('refused')
    vendor.queue({ word: w }, { text: 'I cannot', finish: words[protocol].refused })
    expect(await step(w)).toMatchObject({ finish: 'refused', error: { kind: 'refused' } })
  })

  test('sends the system prompt, the limit on output, the key and the marker of who wrote', async () => {
    const w = word('request')
    await step(w, { system: 'Be brief.', maxOutputTokens: 700 })
    await step(w)
    expect(seen(w)[0]).toMatchObject({ system: 'Be brief.', maxTokens: 700, key: 'sk-test-0123456789abcdef' })
    expect(seen(w)[1]?.maxTokens).toBeGreaterThanOrEqual(8192)
    expect(seen(w)[0]?.lastUserText).toBe(`[message from human]\n${w}`)
  })

  test.each([
    ['rate-limit', 'busy', /limiting how many requests/],
    ['overloaded', 'busy', /overloaded/],
    ['server', 'busy', /internal error \(50[02]\)/],
    ['auth', 'auth', /did not accept the key of the account "default" \(40[01]\): .+ Check it/],
    ['bad-request', 'bad-request', /refused the request \(400\): .*temperature/],
    ['context', 'context', /too long/],
    ['not-found', 'switch', /does not know the model "test-model"/],
    ['broke', 'switch', /no credit or quota/],
    ['policy', 'refused', /declined to answer/],
  ] as const)('sorts %s as %s, on the status line and inside the stream', async (kind, sort, sentence) => {
    const w = word(kind)
    vendor.queue({ word: w }, { error: { kind } }, { text: 'Half a', error: { kind, inStream: true } })
    const [onLine, inStream] = [await step(w), await step(w)]
    expect(onLine).toMatchObject({ finish: 'error', parts: [], error: { kind: sort } })
    expect(onLine.error?.message).toMatch(sentence)
    expect(onLine.error?.retryAfterMs).toBeUndefined()
    // A vendor that has begun to answer is up, so a failure in the middle is one of this request alone.
    const inside = kind === 'server' ? 'retry' : sort
    expect(inStream).toMatchObject({ finish: 'error', parts: [{ text: 'Half a' }], error: { kind: inside } })
    expect(`${onLine.error?.message}${inStream.error?.message}`).not.toContain('0123456789')
    // One request each: trying again is the loop's decision.
    expect(seen(w)).toHaveLength(2)
  })

  test('sorts an overload that comes before the first word of a 200 stream', async () => {
    const w = word('early')
    vendor.queue({ word: w }, { error: { kind: 'overloaded', inStream: true } })
    expect(await step(w)).toMatchObject({ finish: 'error', parts: [], error: { kind: 'busy' } })
  })

  test('tells how long the vendor wants us to wait, given in seconds or as a date', async () => {
    const w = word('after')
    const clock = { now: () => Date.parse('2026-03-01T12:00:00Z') }
    vendor.queue(
      { word: w },
      { error: { kind: 'rate-limit', retryAfter: 7 } },
      { error: { kind: 'overloaded', status: 529, retryAfter: 'Sun, 01 Mar 2026 12:01:30 GMT' } },
      { error: { kind: 'rate-limit', retryAfter: 'soon' } },
    )
    expect((await step(w, {}, { clock })).error).toMatchObject({ kind: 'busy', retryAfterMs: 7000 })
    expect((await step(w, {}, { clock })).error).toMatchObject({ kind: 'busy', retryAfterMs: 90_000 })
    expect((await step(w, {}, { clock })).error?.retryAfterMs).toBeUndefined()
  })

  test.each([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])('survives a reset at %d of the stream', async (cut) => {
    const w = word(`cut${cut}`)
    const whole = 'One two three four five six seven eight nine ten.'
    const calls = [{ name: 'read_file', input: { path: 'a-rather-long-path-to-a-file.txt' } }]
    vendor.queue({ word: w }, { reasoning: 'Hm, let me see.', text: whole, calls, cut })
    const result = await step(w, { tools: [tool('read_file')] })
    expect(result).toMatchObject({ finish: 'error', error: { kind: 'retry' } })
    expect(result.error?.message).toMatch(/broke off|cannot be reached/)
    expect(callsOf(result.parts)).toEqual([])
    expect(whole.startsWith(textOf(result.parts))).toBe(true)
  })

  test('survives a stream that ends in good order before the answer does', async () => {
    const w = word('truncate')
    vendor.queue({ word: w }, { text: 'One two three four five.', calls: [{ name: 'a', input: {} }], truncate: 0.5 })
    const result = await step(w, { tools: [tool('a')] })
    expect(result).toMatchObject({ finish: 'error', error: { kind: 'retry' } })
    expect(result.error?.message).toMatch(/broke off/)
  })

  test.each([0.3, 0.4, 0.5, 0.6])('never takes half a call for a whole one (at %d of the stream)', async (truncate) => {
    const w = word(`half${truncate}`)
    vendor.queue({ word: w }, { calls: [{ name: 'a', input: { path: 'a-long-path-to-a-file.txt' } }], truncate })
    const result = await step(w, { tools: [tool('a')] })
    expect(result).toMatchObject({ finish: 'error', parts: [], error: { kind: 'retry' } })
  })

  test.each([
    ['an empty 200', { empty: true }],
    ['garbage in the stream', { text: 'One', garbage: true }],
    ['garbage as the first thing', { garbage: true }],
    ['an answer without content', {}],
  ] as const)('calls %s something to try again', async (name, reply) => {
    const w = word(name)
    vendor.queue({ word: w }, reply)
    const result = await step(w)
    expect(result).toMatchObject({ finish: 'error', error: { kind: 'retry' } })
    expect(result.error?.message).toMatch(/^\S+ (sent|connection)|^The connection/)
  })

  test('cuts a stream that falls silent and keeps what was said, but no call', async () => {
    const w = word('silent')
    const calls = [
      { name: 'a', input: {} },
      { name: 'b', input: {} },
    ]
    vendor.queue({ word: w }, { text: 'Half a', calls, hang: true })
    const result = await step(w, { tools: [tool('a'), tool('b')] }, { idleMs: 1500 })
    expect(result).toMatchObject({ finish: 'error', error: { kind: 'retry' } })
    expect(result.parts).toMatchObject([{ type: 'text', text: 'Half a' }])
    expect(result.parts).toHaveLength(1)
    expect(result.error?.message).toMatch(/silent/)
  })

  test('ends at once when aborted in the middle, with the text so far and no call', async () => {
    const w = word('abort')
    const stop = new AbortController()
    vendor.queue({ word: w }, { reasoning: 'Hm.', text: 'Half a', calls: [{ name: 'a', input: {} }], hang: true })
    const result = await step(w, {
      tools: [tool('a')],
      signal: stop.signal,
      onDelta: (_kind, text) => text === 'a' && stop.abort('canceled by the person'),
    })
    expect(result.finish).toBe('aborted')
    expect(textOf(result.parts)).toBe('Half a')
    expect(callsOf(result.parts)).toEqual([])
    expect(result.error).toBeUndefined()
  })

  test('makes no request when it is aborted before it begins, and ends when aborted before the answer', async () => {
    const w = word('never')
    expect(await step(w, { signal: AbortSignal.abort() })).toMatchObject({ finish: 'aborted', parts: [] })
    expect(seen(w)).toEqual([])
    const stop = new AbortController()
    vendor.script(
      () => {
        stop.abort()
        return { delay: new Promise(() => {}) }
      },
      { word: w },
    )
    expect(await step(w, { signal: stop.signal })).toMatchObject({ finish: 'aborted', parts: [] })
  })

  test('says where it looked when nobody listens there', async () => {
    const gone = await startVendor()
    await gone.close()
    const result = await takeStep(runtimeFor(gone), { model: modelOf(protocol) })
    expect(result.error).toEqual({
      kind: 'busy',
      message: expect.stringMatching(/cannot be reached at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Check that it runs/),
    })
  })

  test('defines a tool for a history with calls when the agent has none left', async () => {
    const w = word('notools')
    const call = { type: 'tool-call' as const, callId: 'call_1', vendorCallId: 'v1', name: 'bash', input: {} }
    const history = [user(w), user('', { role: 'assistant', parts: [call] })]
    expect((await step(w, { history })).finish).toBe('stop')
    expect(seen(w)[0]?.tools).toEqual(['no_tools'])
  })
})

/** The vendors' own words for why they stopped. */
const words: Record<ProtocolName, { length: string; refused: string }> = {
  'openai-compatible': { length: 'length', refused: 'content_filter' },
  anthropic: { length: 'max_tokens', refused: 'refusal' },
  openai: { length: 'max_output_tokens', refused: 'content_filter' },
  google: { length: 'MAX_TOKENS', refused: 'SAFETY' },
  openrouter: { length: 'length', refused: 'content_filter' },
}

const seen = (word: string) =>
  vendor.requests.filter((request) => request.messages.some(({ text }) => text.includes(word)))
