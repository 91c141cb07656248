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
  let onBytes: ((bytes: number) => void) | undefined
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
      watch: (_, heard) => {
        onBytes = heard
      },
    },
  )
  const comment = () => onBytes?.(15)
  const say = (delta: string) => feed?.enqueue({ type: 'text-delta', id: '1', delta })
  return { say, comment, stop, result }
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

test('signs of life keep a stream for five times the silence that is allowed, and no longer', async () => {
  const { say, comment, result } = handFed()
  const over = vi.fn()
  void result.then(over)
  say('a')
  await vi.advanceTimersByTimeAsync(0)
  for (let times = 0; times < 5; times += 1) {
    await vi.advanceTimersByTimeAsync(900)
    comment()
  }
  await vi.advanceTimersByTimeAsync(499)
  expect(over).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(over).toHaveBeenCalledOnce()
  expect(await result).toMatchObject({
    parts: [{ text: 'a' }],
    error: { kind: 'retry', message: 'lab sent signs of life and said nothing for 5 s, so the request was cut.' },
  })
})

test('an abort ends the step even when the connection does not notice', async () => {
  const { say, stop, result } = handFed()
  say('a')
  await vi.advanceTimersByTimeAsync(1)
  stop.abort()
  expect(await result).toMatchObject({ finish: 'aborted', parts: [{ text: 'a' }] })
})
