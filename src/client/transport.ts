import { CallFailure } from './failure.ts'

export interface Outgoing {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly timeoutMs: number
  /** The request may be sent again without harm when nobody knows whether it arrived. */
  readonly repeatable: boolean
}

/** What of a Response is needed here, so that a client without one can make it. */
export interface Received {
  readonly ok: boolean
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

/** How requests get to a server, and its answers back. */
export interface Transport {
  /** Where the server is, as far as is known. */
  readonly url: string
  send(path: string, request: Outgoing): Promise<Received>
}

/** Sends to one address, with the fetch that browsers and Node have in common. */
export const fetchTransport = (url: string): Transport => ({
  url,
  async send(path, { timeoutMs, repeatable: _, ...request }) {
    try {
      return await fetch(new URL(path, url), { ...request, signal: AbortSignal.timeout(timeoutMs) })
    } catch (cause) {
      if (cause instanceof Error && cause.name === 'TimeoutError')
        throw new CallFailure('timeout', `The server at ${url} did not answer in time.`, { cause })
      throw new CallFailure('lost', `The connection to the server at ${url} was lost.`, { cause })
    }
  },
})
