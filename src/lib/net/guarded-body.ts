import type { IncomingMessage } from 'node:http'
import { Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FetchRefused } from './guarded-target.ts'

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** What the guarded request says it can unpack. */
export const ENCODINGS = 'gzip, deflate, br'

/** The whole body, unpacked; one that is larger than the limit, packed or not, is cut off and refused. */
export async function bodyWithin(message: IncomingMessage, bytes: number, signal: AbortSignal): Promise<Buffer> {
  const sent = Readable.from(counted(message, bytes, 'sends'), { objectMode: false })
  let unpacked = sent
  const hangUp = (): void => void unpacked.destroy(signal.reason)
  signal.addEventListener('abort', hangUp, { once: true })
  try {
    unpacked = unpackedBy(message.headers['content-encoding'], sent)
    const pieces: Buffer[] = []
    for await (const piece of counted(unpacked, bytes, 'unpacks to')) pieces.push(piece)
    return Buffer.concat(pieces)
  } finally {
    signal.removeEventListener('abort', hangUp)
    unpacked.destroy()
    sent.destroy()
    message.destroy()
  }
}

function unpackedBy(encoding: string | undefined, sent: Readable): Readable {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return sent
  const make = unpackers[name]
  if (make === undefined)
    throw new FetchRefused(`The answer is packed as ${JSON.stringify(name)}, which is not unpacked.`)
  const unpacked = make()
  sent.once('error', (error) => unpacked.destroy(error))
  return sent.pipe(unpacked)
}

async function* counted(from: Readable, bytes: number, does: string): AsyncGenerator<Buffer> {
  let length = 0
  for await (const piece of from as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > bytes)
      throw new FetchRefused(`The answer ${does} more than ${Math.round(bytes / 1024)} KB, which is the limit.`, {
        hint: 'Look for a smaller page or file with the same content.',
      })
    yield piece
  }
}
