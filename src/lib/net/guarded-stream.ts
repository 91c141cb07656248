import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { sendTo, whyUnanswered } from './guarded-send.ts'
import { FetchRefused, type Guard, targetOf, webUrl } from './guarded-target.ts'

interface StreamGuard extends Guard {
  /** Until the answer begins. */
  readonly headersMs: number
  /** Of one answer; what comes beyond is an error. */
  readonly bytes: number
}

const never = new AbortController()

type Asked = Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>

/**
 * A `fetch` behind the same guard as `guardedFetch`, for those who read an answer while it comes. It follows no
 * redirect: whoever asks looks at where it leads and asks anew.
 */
export const guardedStream =
  (guard: StreamGuard) =>
  async (address: string | URL, { method = 'GET', headers, body, signal }: Asked = {}): Promise<Response> => {
    const url = webUrl(String(address))
    try {
      const target = await targetOf(url, guard)
      signal?.throwIfAborted()
      const sent = { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(headers ?? {})) }
      const step = { url, method, headers: sent, body: textOf(body) }
      return responseOf(await sendTo(target, step, guard.headersMs, signal ?? never.signal), guard.bytes)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof FetchRefused) throw error
      throw new FetchRefused(`${url.host} could not be reached: ${whyUnanswered(error)}.`, { cause: error })
    }
  }

function textOf(body: Asked['body']): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new FetchRefused('Only text can be sent.')
}

const withoutBody = [101, 204, 205, 304]

function responseOf(message: IncomingMessage, bytes: number): Response {
  const { statusCode = 0, headers } = message
  const status = statusCode >= 200 && statusCode < 600 ? statusCode : 502
  const texts = Object.entries(headers).map(([name, value = '']): [string, string] => [name, [value].flat().join(', ')])
  if (withoutBody.includes(status)) {
    message.destroy()
    return new Response(null, { status, headers: texts })
  }
  const body = Readable.toWeb(Readable.from(within(message, bytes), { objectMode: false }))
  return new Response(body as ReadableStream<Uint8Array>, { status, headers: texts })
}

async function* within(message: IncomingMessage, bytes: number): AsyncGenerator<Buffer> {
  let length = 0
  try {
    for await (const piece of message as AsyncIterable<Buffer>) {
      length += piece.length
      if (length > bytes)
        throw new FetchRefused(`The answer has more than ${Math.round(bytes / 1024 / 1024)} MB, which is the limit.`)
      yield piece
    }
  } finally {
    message.destroy()
  }
}
