import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { Socket } from 'node:net'
import { ENCODINGS } from './guarded-body.ts'
import { type CheckedTarget, FetchRefused, pinnedTo } from './guarded-target.ts'
import type { Step } from './redirects.ts'

/** Sends one request to a checked address; the answer has begun when it resolves. */
export function sendTo(
  target: CheckedTarget,
  step: Step,
  headersMs: number,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { url, method, headers, body } = step
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const options: RequestOptions = {
    method,
    headers: { 'accept-encoding': ENCODINGS, ...headers, ...length },
    // A connection of its own, which no other request to the same name can have opened to another address.
    agent: false,
    lookup: pinnedTo(target.addresses),
    signal,
  }
  const request = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, options, (message) =>
    resolve(message.on('error', () => {})),
  )
  const timer = setTimeout(() => request.destroy(new FetchRefused(tooSlow(url, headersMs))), headersMs)
  // Errors that come after the answer has begun end the reading of its body.
  request.on('error', reject)
  request.once('upgrade', (_, socket: Socket) => {
    socket.destroy()
    reject(new FetchRefused(`${url.host} answered with another protocol than HTTP.`))
  })
  request.end(body)
  return promise.finally(() => clearTimeout(timer))
}

export const tooSlow = ({ host }: URL, ms: number): string => `${host} took longer than ${ms / 1000} s.`

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke off',
  EHOSTUNREACH: 'it cannot be reached from here',
  ENETUNREACH: 'it cannot be reached from here',
  ETIMEDOUT: 'it does not answer',
}

/** Why there was no answer, in words. */
export function whyUnanswered(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (/CERT|SIGNATURE|ISSUER/.test(code)) return `its certificate is not valid (${code})`
  return reasons[code] ?? (message || code)
}
