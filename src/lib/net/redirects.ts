import type { IncomingMessage } from 'node:http'
import { FetchRefused, webUrl } from './guarded-target.ts'

/** One request in a row of redirects. Names of headers are in lower case. */
export interface Step {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

/** What may be said to anybody. Every other header may be meant for the first server alone. */
const harmless = ['accept', 'accept-language', 'user-agent']

/** Where an answer sends the reader on to; the address is looked at like the first one. */
export function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined
  const to = webUrl(headers.location, from)
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw new FetchRefused(`${from.host} redirects to ${to.href}, which is not encrypted; this is not followed.`, {
      hint: 'If that is meant, fetch that address itself.',
    })
  return to
}

/** The next request: another server gets neither the body nor the headers that were meant for the first. */
export function redirected(step: Step, to: URL, status = 0): Step {
  const isElsewhere = to.origin !== step.url.origin
  const kept = Object.entries(step.headers).filter(([name]) => !isElsewhere || harmless.includes(name))
  const headers = Object.fromEntries(kept)
  if (step.body === undefined || (status !== 307 && status !== 308)) {
    const method = step.method === 'HEAD' ? 'HEAD' : 'GET'
    return { url: to, method, headers: withoutBody(headers), body: undefined }
  }
  if (isElsewhere)
    throw new FetchRefused(
      `${step.url.host} redirects to ${to.host}, which would be sent what was meant for the first.`,
      {
        hint: 'If that is meant, send it to that address itself.',
      },
    )
  return { ...step, url: to, headers }
}

const withoutBody = (headers: Step['headers']): Step['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))
