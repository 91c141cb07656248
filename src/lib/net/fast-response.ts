import type { IncomingMessage } from 'node:http'

/** How much is held for a reader that is slower than the server; beyond that the server waits. */
const HELD_BYTES = 64 * 1024
/** How much of a body is read as a whole: of an error the beginning is enough, and anything else must be complete. */
const ERROR_BYTES = 1024 * 1024
const BODY_BYTES = 32 * 1024 * 1024

/** Called with the size of each piece as it comes. */
export type OnBytes = (bytes: number) => void

type Piece = { done: false; value: Uint8Array } | { done: true; value: undefined }
type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel' | 'releaseLock'>

/**
 * The parts of a `Response` that we and the vendors' packages use: status, headers, the bytes as they come, or the
 * whole text. A real `Response` costs more than reading a short answer.
 */
export function responseOf(message: IncomingMessage, onBytes: OnBytes | undefined): Response {
  const status = message.statusCode ?? 500
  const empty = status === 204 || status === 205 || status === 304
  const ok = status >= 200 && status < 300
  onBytes?.(0)
  if (empty) message.resume()
  const reader = empty ? undefined : readerOf(message, onBytes)
  const text = async (): Promise<string> => (await whole(reader, ok)).toString()
  const response = {
    status,
    ok,
    statusText: message.statusMessage ?? '',
    headers: headersOf(message) as unknown as Headers,
    body: reader === undefined ? null : (bodyOf(reader) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>),
    text,
    json: async (): Promise<unknown> => JSON.parse(await text()),
  }
  return response as unknown as Response
}

function headersOf({ rawHeaders }: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    const value = rawHeaders[at + 1] as string
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return headers
}

const bodyOf = (reader: Reader) => ({
  getReader: () => reader,
  cancel: reader.cancel,
  pipeThrough: (pair: ReadableWritablePair) => streamOf(reader).pipeThrough(pair),
  [Symbol.asyncIterator]: () => streamOf(reader)[Symbol.asyncIterator](),
})

function streamOf(reader: Reader): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: reader.cancel,
  })
}

/** The bytes as they come; the server is held back while nobody reads. */
function readerOf(message: IncomingMessage, onBytes: OnBytes | undefined): Reader {
  let pieces: Uint8Array[] = []
  let held = 0
  let over: { error?: unknown } | undefined
  let waiting: PromiseWithResolvers<Piece> | undefined

  // Pieces that arrived together go on as one, because each piece passes through every stream behind this one.
  const take = (): Piece => {
    const value = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces)
    pieces = []
    held = 0
    return { done: false, value }
  }
  const hand = (): void => {
    if (waiting === undefined || (pieces.length === 0 && over === undefined)) return
    const { resolve, reject } = waiting
    waiting = undefined
    if (pieces.length > 0) resolve(take())
    else if (over?.error === undefined) resolve({ done: true, value: undefined })
    else reject(over.error)
  }
  const end = (how: { error?: unknown }): void => {
    over ??= how
    hand()
  }
  message.on('data', (piece: Uint8Array) => {
    onBytes?.(piece.length)
    held += piece.length
    if (pieces.push(piece) === 1) queueMicrotask(hand)
    if (waiting === undefined && held > HELD_BYTES) message.pause()
  })
  message.once('end', () => end({}))
  message.once('error', (error) => end({ error }))

  return {
    read() {
      waiting ??= Promise.withResolvers()
      const { promise } = waiting
      hand()
      if (over === undefined) message.resume()
      return promise
    },
    async cancel() {
      pieces = []
      end({})
      message.destroy()
    },
    releaseLock: () => {},
  }
}

async function whole(reader: Reader | undefined, ok: boolean): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    pieces.push(next.value)
    length += next.value.length
    if (length <= (ok ? BODY_BYTES : ERROR_BYTES)) continue
    await reader?.cancel()
    if (ok) throw new Error(`the answer is larger than ${BODY_BYTES / 1024 / 1024} MB`)
  }
  return Buffer.concat(pieces)
}
