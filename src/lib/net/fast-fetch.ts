import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { type OnBytes, responseOf } from './fast-response.ts'
import { type Guard, pinnedTo, targetOf, webUrl } from './guarded-target.ts'

interface FastFetchOptions {
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY are read from it, in either case. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface FastFetch {
  readonly fetch: typeof globalThis.fetch
  /** The same behind the address guard: no proxy, and a connection of its own to an address that was checked. */
  guarded(guard: () => Guard): typeof globalThis.fetch
  /** Calls back for every piece that arrives for the request with this signal, comments and pings included. */
  watch(signal: AbortSignal, onBytes: OnBytes): void
  close(): void
}

const KEPT_ALIVE_MS = 60_000
/** Errors of a kept connection that the server has closed meanwhile; such a request is sent once more. */
const GONE = ['ECONNRESET', 'EPIPE']

/**
 * `fetch` for JSON requests and streamed answers. It keeps connections for reuse and respects proxies; it does not
 * follow redirects, because the key would go along.
 */
export function createFastFetch({ env }: FastFetchOptions): FastFetch {
  const watchers = new WeakMap<AbortSignal, OnBytes>()
  const options = { keepAlive: true, keepAliveMsecs: KEPT_ALIVE_MS, proxyEnv: proxiesIn(env) }
  const plain = new Agent(options)
  const secure = new TlsAgent(options)

  async function fastFetch(input: string | URL | Request, init: RequestInit = {}, guard?: Guard): Promise<Response> {
    const given = typeof input === 'string' || input instanceof URL ? input : input.url
    const url = guard ? webUrl(String(given)) : new URL(given)
    const { signal } = init
    signal?.throwIfAborted()
    const checked = guard && (await targetOf(url, guard))
    signal?.throwIfAborted()
    const body = bodyOf(init.body)
    const headers = Object.fromEntries(new Headers(init.headers))
    if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
    const sent: RequestOptions = {
      method: init.method ?? 'GET',
      headers,
      ...(checked
        ? { agent: false, lookup: pinnedTo(checked.addresses) }
        : { agent: url.protocol === 'https:' ? secure : plain }),
    }
    const message = await send(url, sent, body, signal).catch((error: NodeJS.ErrnoException & { reused?: boolean }) => {
      if (signal?.aborted || !error.reused || !GONE.includes(error.code ?? '')) throw error
      return send(url, sent, body, signal)
    })
    return responseOf(message, signal ? watchers.get(signal) : undefined)
  }

  return {
    fetch: ((input, init) => fastFetch(input, init)) as typeof globalThis.fetch,
    guarded: (guard) => ((input, init) => fastFetch(input, init, guard())) as typeof globalThis.fetch,
    watch: (signal, onBytes) => void watchers.set(signal, onBytes),
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}

function send(
  url: URL,
  options: RequestOptions,
  body: string | Uint8Array | undefined,
  signal: AbortSignal | null | undefined,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, resolve)
  const hangUp = (): void => void request.destroy(signal?.reason)
  signal?.addEventListener('abort', hangUp, { once: true })
  request.once('error', (error) => reject(Object.assign(error, { reused: request.reusedSocket })))
  request.once('close', () => signal?.removeEventListener('abort', hangUp))
  // A text with one byte per character needs no encoding.
  const plain = typeof body === 'string' && Number(request.getHeader('content-length')) === body.length
  request.end(body, plain ? 'latin1' : 'utf8')
  return promise
}

function bodyOf(body: RequestInit['body']): string | Uint8Array | undefined {
  if (body === null || body === undefined) return undefined
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  throw new TypeError('Only text and bytes can be sent.')
}

/** A value that is not an address is left out: a slip in the environment must not keep the program from starting. */
function proxiesIn(env: FastFetchOptions['env']): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']) {
    const value = env[name]
    if (value && (/no_proxy/i.test(name) || URL.canParse(value))) found[name] = value
  }
  return found
}
