import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { streamStep } from './step.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A stream that a test feeds by hand and that pays no heed to being aborted. */
function handFed() {
  let feed: ReadableStreamDefaultController<LanguageModelV4StreamPart> | undefined
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      feed = controller
    },
  })
  const model = { doStream: async () => ({ stream }) } as unknown as LanguageModelV4
  const stop = new AbortController()
  const result = streamStep(
    model,
    { prompt: [] },
    { signal: stop.signal, onDelta: () => {} },
    {
      idleMs: 1000,
      context: {
        provider: 'lab',
        model: 'm',
        account: 'default',
        baseURL: undefined,
        secrets: [],
        maxOutputTokens: undefined,
      },
      now: () => 0,
    },
  )
  const say = (delta: string) => feed?.enqueue({ type: 'text-delta', id: '1', delta })
  return { say, stop, result }
}

test('a slow stream is not cut as long as something comes in time', async () => {
  const { say, result } = handFed()
  for (const piece of ['a', 'b', 'c', 'd']) {
    say(piece)
    await vi.advanceTimersByTimeAsync(900)
  }
  await vi.advanceTimersByTimeAsync(100)
  expect(await result).toMatchObject({ finish: 'error', parts: [{ text: 'abcd' }], error: { kind: 'retry' } })
})

test('an abort ends the step even when the connection does not notice', async () => {
  const { say, stop, result } = handFed()
  say('a')
  await vi.advanceTimersByTimeAsync(1)
  stop.abort()
  expect(await result).toMatchObject({ finish: 'aborted', parts: [{ text: 'a' }] })
})
