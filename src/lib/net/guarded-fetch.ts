import type { IncomingMessage } from 'node:http'
import { bodyWithin } from './guarded-body.ts'
import { sendTo, tooSlow, whyUnanswered } from './guarded-send.ts'
import { FetchRefused, type Guard, targetOf, webUrl } from './guarded-target.ts'
import { redirected, redirectOf, type Step } from './redirects.ts'

export interface OutgoingRequest extends Guard {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly limits?: Partial<FetchLimits>
  readonly signal?: AbortSignal
  /** Whether a redirect to this address is followed; if not, it is the answer. */
  readonly follows?: (to: URL) => boolean
  /** Only how it was answered counts: the body is not read, however long it is. */
  readonly headOnly?: boolean
}

interface FetchLimits {
  readonly redirects: number
  /** Until the answer begins, at each address in a row of redirects. */
  readonly headersMs: number
  /** For all of it, so that a server which sends a byte now and then is cut off as well. */
  readonly totalMs: number
  /** Of the body, both as it is sent and as it is unpacked. */
  readonly bytes: number
}

const usual: FetchLimits = { redirects: 5, headersMs: 15_000, totalMs: 30_000, bytes: 5 * 1024 * 1024 }

export interface GuardedAnswer {
  /** Where the answer came from, after redirects. */
  readonly url: URL
  readonly status: number
  /** By lower-case name; several values of one name are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** A redirect that was not followed. */
  readonly redirect?: URL
}

/**
 * The one way for tools, webhooks and whatever else gets an address from outside to send a request. The host is
 * resolved once, every address is checked, and the connection goes to a checked address; the same for each redirect.
 * It throws `FetchRefused`, with a sentence for the reader. An answer with an error status is an answer.
 */
export async function guardedFetch(address: string, asked: OutgoingRequest): Promise<GuardedAnswer> {
  const limits = { ...usual, ...asked.limits }
  const late = AbortSignal.timeout(limits.totalMs)
  const signal = asked.signal ? AbortSignal.any([asked.signal, late]) : late
  const { method = 'GET', headers = {}, body } = asked
  let step: Step = { url: webUrl(address), method, headers: lowerCased(headers), body }
  try {
    for (let hops = 0; ; hops += 1) {
      const target = await unlessAborted(targetOf(step.url, asked), signal)
      const message = await sendTo(target, step, limits.headersMs, signal)
      const to = redirectOf(message, step.url)
      if (to === undefined || asked.follows?.(to) === false) {
        const whole = asked.headOnly ? noneOf(message) : await bodyWithin(message, limits.bytes, signal)
        return { url: step.url, ...headOf(message), body: whole, ...(to && { redirect: to }) }
      }
      message.destroy()
      if (hops === limits.redirects)
        throw new FetchRefused(`${step.url.host} redirects more than ${limits.redirects} times.`)
      step = redirected(step, to, message.statusCode)
    }
  } catch (error) {
    asked.signal?.throwIfAborted()
    if (late.aborted) throw new FetchRefused(tooSlow(step.url, limits.totalMs), { cause: error })
    if (error instanceof FetchRefused) throw error
    throw new FetchRefused(`${step.url.host} could not be fetched: ${whyUnanswered(error)}.`, { cause: error })
  }
}

function headOf({ statusCode = 0, headers }: IncomingMessage): Pick<GuardedAnswer, 'status' | 'headers'> {
  const texts = Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')])
  return { status: statusCode, headers: Object.fromEntries(texts) }
}

function noneOf(message: IncomingMessage): Buffer {
  message.destroy()
  return Buffer.alloc(0)
}

/** The system's resolver cannot be told to stop. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
