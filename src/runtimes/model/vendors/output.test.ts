import { expect, test } from 'vitest'
import { modelOf, providerAt, runtimeFor, takeStep, user } from '../../../../test/kit/vendor/runtime.ts'
import { startVendor } from '../../../../test/kit/vendor/server.ts'
import { outputLimit, smallerOutput } from './output.ts'

test.each([
  ['anthropic', 'claude-opus-5-5', 64_000],
  ['openai', 'gpt-4', 8192],
  ['openai', 'gpt-4o-mini', 16_384],
  ['openai', 'gpt-6-sol', 64_000],
  ['openai', 'o3', 64_000],
  ['google', 'gemini-2.0-flash', 8192],
  ['google', 'gemini-3.8-flash', 64_000],
  ['openai-compatible', 'qwen', 32_000],
] as const)('a model of %s called %s may write %i tokens', (type, model, tokens) => {
  expect(outputLimit(type, model, undefined)).toBe(tokens)
  expect(outputLimit(type, model, 6000)).toBe(3000)
})

/** As the vendors word it when a limit is too high for them. */
test.each([
  ['max_tokens is too large: 32000. This model supports at most 16384 completion tokens.', 16_384, true],
  ['max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for it', 8192, true],
  ['`max_tokens` must be less than or equal to `8192`, the maximum value for this model', 8192, true],
  [
    'it has a maxOutputTokens value of 32000 but the supported range is from 1 (inclusive) to 8193 (exclusive)',
    8193,
    true,
  ],
  ['This request requires more credits. You requested up to 32000 tokens, but can only afford 900.', 900, false],
  [
    "'max_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 192 input tokens",
    8000,
    false,
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 32100 tokens (100 in the messages, 32000 in the completion).",
    8092,
    false,
  ],
  ['Invalid value for max_completion_tokens.', 4096, true],
])('%s → %i', (message, tokens, lasting) => {
  expect(smallerOutput(message, 32_000)).toEqual({ tokens, lasting })
  expect(smallerOutput(message, tokens)).toBeUndefined()
})

test('what has nothing to do with the limit does not lower it, and nothing is left of a full window', () => {
  expect(smallerOutput('temperature: range -1..1', 32_000)).toBeUndefined()
  const full = "This model's maximum context length is 8192 tokens and your request has 8100 input tokens"
  expect(smallerOutput(full, 32_000)).toBeUndefined()
})

test('a limit that the vendor refuses is lowered to its own, once and for all, but never what the agent chose', async () => {
  const vendor = await startVendor()
  const message = 'max_tokens is too large. This model supports at most 5000 completion tokens.'
  vendor.script(({ maxTokens = 0 }) =>
    maxTokens > 5000 ? { error: { kind: 'bad-request', message } } : { text: 'Yes.' },
  )
  const runtime = runtimeFor(vendor)
  const step = (more = {}) =>
    takeStep(runtime, { model: modelOf('openai-compatible'), history: [user('hello')], ...more })
  expect(await step()).toMatchObject({ finish: 'stop', parts: [{ text: 'Yes.' }] })
  expect(await step()).toMatchObject({ finish: 'stop' })
  expect(vendor.requests.map(({ maxTokens }) => maxTokens)).toEqual([32_000, 5000, 5000])
  const { error } = await step({ maxOutputTokens: 9000 })
  expect(error).toMatchObject({ kind: 'bad-request', message: expect.stringContaining('at most 5000') })
  expect(vendor.requests).toHaveLength(4)
  await vendor.close()
})

test('a request says what its model may write: room to think, and no more than half of the window that is known', async () => {
  const vendor = await startVendor()
  vendor.script(() => ({ text: 'Yes.' }))
  const small = { contextWindow: 6000 }
  const lab = providerAt(vendor, 'openai-compatible', { prices: { small } })
  const settings = () => ({ providers: { lab, claude: providerAt(vendor, 'anthropic') } })
  const runtime = runtimeFor(vendor, { settings })
  for (const model of ['lab/qwen', 'lab/small', 'claude/claude-opus-4-5'])
    expect(await takeStep(runtime, { model })).toMatchObject({ finish: 'stop' })
  expect(vendor.requests.map(({ maxTokens }) => maxTokens)).toEqual([32_000, 3000, 64_000])
  await vendor.close()
})
