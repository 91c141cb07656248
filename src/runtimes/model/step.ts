import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { StepRequest, StepResult } from '../../core/base/index.ts'
import { brokenOff, type FailureContext, modelError, type VendorFailure } from './vendors/failure.ts'
import { createAnswer, type IncomingAnswer } from './wire/answer.ts'
import { createMeasure, type Measure } from './wire/measure.ts'
import { brokenResult, cutResult, wholeResult } from './wire/result.ts'

export interface StreamOptions {
  /** How long the stream may be silent before it is cut. */
  readonly idleMs: number
  readonly context: Omit<FailureContext, 'now'>
  now(): number
  /** Calls `onBytes` whenever bytes arrive, even such as mean nothing. */
  watch?(signal: AbortSignal, onBytes: (bytes: number) => void): void
  /** The vendor took the request; the answer follows. */
  onAccepted?(headers: Readonly<Record<string, string>> | undefined): void
  /** The vendor always gives a reason for its end, so an end without one is a stream that broke off. */
  readonly saysWhy?: boolean
  /** Rewrites the stream as it comes. */
  readonly filter?: (chunk: LanguageModelV4StreamPart) => readonly LanguageModelV4StreamPart[]
}

export interface Streamed extends StepResult {
  readonly error?: VendorFailure
  /** Of the input, what the vendor wrote into its cache. */
  readonly written: number
  /** Characters that came, kept or not. */
  readonly chars: number
  /** The vendor came to its end, where it counts. */
  readonly complete: boolean
}

/** Comments and pings are signs of life, but only for so many times the silence that is allowed. */
const QUIET_TIMES = 5

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
  const measure = createMeasure()
  const spent = () => spentOn(answer, measure)
  const broken = (error?: VendorFailure): Streamed => ({ ...brokenResult(answer, error), ...spent() })
  if (signal.aborted) return broken()

  const line = new AbortController()
  let reader: Reader | undefined
  let thrown: { error: unknown } | undefined
  let silence: string | undefined
  /** The vendor has sent something, if only the beginning of an answer. */
  let answers = false
  const hangUp = (): void => {
    line.abort()
    reader?.cancel().catch(ignore)
  }
  const cutAfter = (ms: number, what: string) =>
    setTimeout(() => {
      silence = `${context.provider} ${what} for ${Math.round(ms / 1000)} s, so the request was cut.`
      hangUp()
    }, ms)
  const idle = cutAfter(idleMs, 'was silent')
  const quiet = cutAfter(idleMs * QUIET_TIMES, 'sent signs of life and said nothing')
  signal.addEventListener('abort', hangUp, { once: true })
  options.watch?.(line.signal, (bytes) => {
    answers = true
    idle.refresh()
    measure.bytes(bytes)
    if (measure.excess) hangUp()
  })

  try {
    const { stream, response } = await model.doStream({ ...call, abortSignal: line.signal })
    reader = stream.getReader()
    if (isHtml(response?.headers)) throw { responseBody: '<html' }
    options.onAccepted?.(response?.headers)
    while (answer.finish === undefined && answer.failure === undefined && measure.excess === undefined) {
      const { done, value } = await reader.read()
      if (done) break
      idle.refresh()
      if (measure.take(value)) quiet.refresh()
      if (filter === undefined) answer.take(value)
      else for (const part of filter(value)) answer.take(part)
    }
  } catch (error) {
    thrown = { error }
  } finally {
    clearTimeout(idle)
    clearTimeout(quiet)
    signal.removeEventListener('abort', hangUp)
  }

  const complete =
    measure.excess === undefined && answer.finish !== undefined && isWhole(answer.finish, options.saysWhy ?? false)
  if (complete && reader) {
    void drain(reader, line)
    return { ...wholeResult(answer, context.provider, call.maxOutputTokens), ...spent() }
  }
  hangUp()
  if (signal.aborted) return broken()
  if (measure.excess) return { ...cutResult(answer, measure.excess, context), ...spent() }
  if (silence !== undefined) return broken({ kind: reader || answers ? 'retry' : 'busy', message: silence })
  const failure = answer.failure ?? thrown
  if (failure) return broken(modelError(failure.error, { ...context, now: now() }))
  return broken({ kind: 'retry', message: brokenOff(context.provider) })
}

const isHtml = (headers: Readonly<Record<string, string>> | undefined): boolean =>
  headers?.['content-type']?.includes('text/html') ?? false

const isWhole = ({ unified, raw }: LanguageModelV4FinishReason, saysWhy: boolean): boolean =>
  unified !== 'error' && unified !== 'interrupted' && !(saysWhy && raw === undefined)

const spentOn = ({ written, costUsd, finish }: IncomingAnswer, { chars }: Measure) => ({
  written,
  chars,
  complete: finish !== undefined,
  ...(costUsd === undefined ? {} : { costUsd }),
})

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>

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
