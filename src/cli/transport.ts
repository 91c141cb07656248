import { type IncomingMessage, request } from 'node:http'
import type { Received } from '../client/transport.ts'

export interface SentRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly signal: AbortSignal
}

/**
 * HTTP over a Unix socket, or to the address where no socket is given. `fetch` knows no sockets and gives up after five
 * minutes, while the answer of another agent may take longer; and to load it takes a fifth of a short command's time.
 */
export const sendOver =
  (socketPath?: string) =>
  (target: URL, { method, headers, body, signal }: SentRequest): Promise<Received> => {
    const { promise, resolve, reject } = Promise.withResolvers<Received>()
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = { method, headers: { ...headers, ...length }, signal, agent: false as const }
    const sent = request(target, socketPath === undefined ? options : { ...options, socketPath }, (response) => {
      read(response).then(resolve, reject)
    })
    // The caller wants the signal's reason, such as a timeout, and not just that the request was aborted.
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    sent.end(body)
    return promise
  }

const LIMIT = 256 * 1024 * 1024

async function read(response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LIMIT) throw new Error('The answer is larger than 256 MB; ask for less at once.')
    chunks.push(chunk)
  }
  const status = response.statusCode ?? 502
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => response.headersDistinct[name.toLowerCase()]?.join(', ') ?? null },
    text: async () => Buffer.concat(chunks).toString('utf8'),
  }
}
