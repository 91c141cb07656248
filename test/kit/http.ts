import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'

/** What came back, nothing left out. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** As JSON.parse gives it; tests look into its fields. */
  readonly json: ReturnType<typeof JSON.parse>
}

/** One request with exactly these headers; `send` may write the body by hand. */
export function ask(
  options: RequestOptions,
  body?: string,
  send?: (request: ClientRequest) => void,
): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
  const sent = request({ host: '127.0.0.1', agent: false, ...options }, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk) => {
      text += chunk
    })
    response.on('error', reject)
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) }),
    )
  })
  sent.on('upgrade', (response, socket) => {
    socket.destroy()
    resolve({ status: 101, headers: response.headers, text: '', json: undefined })
  })
  sent.on('error', reject)
  // Node sets no length for a DELETE, and the server would take its body for the next request.
  if (body !== undefined) sent.setHeader('content-length', Buffer.byteLength(body))
  if (send) send(sent)
  else sent.end(body)
  return promise
}

/** What a client asks for that wants to speak over a WebSocket. */
export const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
