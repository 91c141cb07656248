import type { Delta, Event } from '../../contract/events.ts'

/** One thing to tell many readers. It becomes bytes once for sockets and once for streams, when first asked for. */
export interface Frame {
  /** A WebSocket message. */
  socket(): Buffer
  /** A server-sent event. */
  stream(): Buffer
}

export function eventFrame(event: Event): Frame {
  const json = once(() => JSON.stringify(event))
  return {
    socket: once(() => Buffer.from(`{"event":${json()}}`)),
    stream: once(() => Buffer.from(`id: ${event.seq}\ndata: ${json()}\n\n`)),
  }
}

export function deltaFrame(delta: Delta): Frame {
  const json = once(() => JSON.stringify(delta))
  return {
    socket: once(() => Buffer.from(`{"delta":${json()}}`)),
    stream: once(() => Buffer.from(`event: delta\ndata: ${json()}\n\n`)),
  }
}

/** A position to resume from, without an event. */
export function seqFrame(seq: string): Frame {
  const json = JSON.stringify({ seq })
  return {
    socket: () => Buffer.from(json),
    stream: () => Buffer.from(`id: ${seq}\nevent: seq\ndata: ${json}\n\n`),
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
