import { type IncomingMessage, request } from 'node:http'

export interface SentRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly signal: AbortSignal
}

/**
 * HTTP over a Unix socket, or to the address where no socket is given. `fetch` cannot do it: it knows no sockets, and it
 * gives up after five minutes, while the answer of another agent may take longer.
 */
export const sendOver =
  (socketPath: string | undefined) =>
  (target: URL, { method, headers, body, signal }: SentRequest): Promise<Response> => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
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

const LIMIT = 64 * 1024 * 1024

async function read(response: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LIMIT) throw new Error('The answer is larger than 64 MB; ask for less at once.')
    chunks.push(chunk)
  }
  const headers = Object.entries(response.headersDistinct).map(([name, values]) => [name, values!.join(', ')])
  return new Response(Buffer.concat(chunks), {
    status: response.statusCode ?? 502,
    headers: headers as [string, string][],
  })
}
