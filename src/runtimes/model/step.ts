import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { ModelError, StepRequest, StepResult } from '../../core/base/index.ts'
import { brokenOff, type FailureContext, modelError, type VendorFailure } from './vendors/failure.ts'
import { createAnswer, type IncomingAnswer } from './wire/answer.ts'
import { brokenResult, wholeResult } from './wire/result.ts'

export interface StreamOptions {
  /** How long the stream may be silent before it is cut. */
  readonly idleMs: number
  readonly context: Omit<FailureContext, 'now'>
  now(): number
  /** Calls `onBytes` whenever bytes arrive, even such as mean nothing. */
  watch?(signal: AbortSignal, onBytes: () => void): void
  /** The vendor took the request; the answer follows. */
  onAccepted?(headers: Readonly<Record<string, string>> | undefined): void
  /** The vendor always gives a reason for its end, so an end without one is a stream that broke off. */
  readonly saysWhy?: boolean
  /** Rewrites the stream as it comes. */
  readonly filter?: (chunk: LanguageModelV4StreamPart) => readonly LanguageModelV4StreamPart[]
}

interface Streamed extends StepResult {
  readonly error?: VendorFailure
  /** Of the input, what the vendor wrote into its cache. */
  readonly written: number
}

/** One request, read to its end. Whatever goes wrong is part of the result. */
export async function streamStep(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  request: Pick<StepRequest, 'signal' | 'onDelta'>,
  options: StreamOptions,
): Promise<Streamed> {
  const { idleMs, context, now, filter } = options
  const { signal } = request
  const answer = createAnswer(request.onDelta)
  const broken = (error?: VendorFailure): Streamed => ({ ...brokenResult(answer, error), ...spent(answer) })
  if (signal.aborted) return broken()

  const line = new AbortController()
  let reader: Reader | undefined
  let thrown: { error: unknown } | undefined
  let silent = false
  const hangUp = (): void => {
    line.abort()
    reader?.cancel().catch(ignore)
  }
  const idle = setTimeout(() => {
    silent = true
    hangUp()
  }, idleMs)
  signal.addEventListener('abort', hangUp, { once: true })
  options.watch?.(line.signal, () => void idle.refresh())

  try {
    const { stream, response } = await model.doStream({ ...call, abortSignal: line.signal })
    options.onAccepted?.(response?.headers)
    reader = stream.getReader()
    while (answer.finish === undefined && answer.failure === undefined) {
      const { done, value } = await reader.read()
      if (done) break
      idle.refresh()
      if (filter === undefined) answer.take(value)
      else for (const part of filter(value)) answer.take(part)
    }
  } catch (error) {
    thrown = { error }
  } finally {
    clearTimeout(idle)
    signal.removeEventListener('abort', hangUp)
  }

  const complete = answer.finish !== undefined && isWhole(answer.finish, options.saysWhy ?? false)
  if (complete && reader) {
    void drain(reader, line)
    return { ...wholeResult(answer, context.provider, call.maxOutputTokens), ...spent(answer) }
  }
  hangUp()
  if (signal.aborted) return broken()
  if (silent) return broken(silence(context.provider, idleMs))
  const failure = answer.failure ?? thrown
  if (failure) return broken(modelError(failure.error, { ...context, now: now() }))
  return broken({ kind: 'retry', message: brokenOff(context.provider) })
}

const isWhole = ({ unified, raw }: LanguageModelV4FinishReason, saysWhy: boolean): boolean =>
  unified !== 'error' && unified !== 'interrupted' && !(saysWhy && raw === undefined)

const spent = ({ written, costUsd }: IncomingAnswer) => ({ written, ...(costUsd === undefined ? {} : { costUsd }) })

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>

const silence = (provider: string, idleMs: number): ModelError => ({
  kind: 'retry',
  message: `${provider} was silent for ${Math.round(idleMs / 1000)} s, so the request was cut.`,
})

const DRAIN_MS = 1000

/** The last bytes are read so that the connection can be used again; a server that keeps it open is cut. */
async function drain(reader: Reader, line: AbortController): Promise<void> {
  const timer = setTimeout(() => line.abort(), DRAIN_MS)
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer is whole; how the connection ended no longer matters.
  } finally {
    clearTimeout(timer)
  }
}

const ignore = (): void => {}
