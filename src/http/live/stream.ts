import type { ServerResponse } from 'node:http'
import { bodyOf } from '../errors.ts'
import type { Sink } from './feed.ts'
import { seqFrame } from './frames.ts'

const GRACE_MS = 5000

/** Server-sent events, written straight to the response, whose writableLength tells what waits in memory. */
export function streamSink(response: ServerResponse): Sink {
  // Writing to a lost connection is no error here: its reader leaves on 'close'.
  response.on('error', () => {})
  return {
    get buffered() {
      return response.writableLength
    },
    begin(seq) {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
      response.write(seqFrame(seq).stream())
    },
    write(frame, flushed) {
      response.write(frame.stream(), flushed)
    },
    ping() {
      response.write(': ping\n\n')
    },
    end(error) {
      response.end(`event: end\ndata: ${JSON.stringify(bodyOf(error))}\n\n`)
      // A reader that takes nothing never sees the end, and its buffer must not stay in memory.
      const timer = setTimeout(() => response.destroy(), GRACE_MS).unref()
      response.once('close', () => clearTimeout(timer))
    },
  }
}
