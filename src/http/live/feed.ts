import { AppError } from '../../contract/errors.ts'
import type { Delta, Event } from '../../contract/events.ts'
import { type Core, type EventChoice, type EventPage, isAbout, latestSeq, readEvents } from '../../core/base/index.ts'
import { deltaFrame, eventFrame, type Frame, seqFrame } from './frames.ts'

/** Where a reader's frames go: a socket or a response. */
export interface Sink {
  /** Bytes handed over that the network has not taken yet. */
  readonly buffered: number
  /** The stream begins, after this position. */
  begin(seq: string): void
  /** `flushed` is called once the network has taken this frame and all before it. */
  write(frame: Frame, flushed?: () => void): void
  /** Asks whether the other side is still there. */
  ping(): void
  /** The last word: why the stream ends. */
  end(error: AppError): void
}

export interface Filter extends EventChoice {
  readonly deltas?: boolean | undefined
}

export interface Subscription {
  /** How far the reader has been told. Whoever resumes here misses nothing and gets nothing twice. */
  readonly cursor: string
  close(): void
}

export interface Feed {
  /** Reads once before the stream begins, so that a wrong cursor gets an answer and not a broken stream. */
  subscribe(sink: Sink, filter: Filter, after: string | undefined): Promise<Subscription>
  readonly readers: number
  close(): void
}

export interface FeedLimits {
  /** How many bytes may wait in memory for one reader. */
  readonly bufferBytes: number
  /** How long a full buffer may take to empty before its reader is dropped. */
  readonly drainMs: number
  readonly pingMs: number
  readonly pollMs: number
}

const feedLimits: FeedLimits = { bufferBytes: 1024 * 1024, drainMs: 15_000, pingMs: 15_000, pollMs: 2000 }

interface Reader extends Subscription {
  readonly sink: Sink
  readonly filter: Filter
  cursor: string
  /** The last position its client knows of. */
  told: string
  /** The reader takes part in the shared reads; otherwise it reads by itself, at its own pace. */
  live: boolean
  gone: boolean
}

const PAGE = 200

/**
 * Many readers, few reads. A reader first catches up by itself with reads that its filter narrows; then it is live. All
 * live readers at the same position share one read, and each event becomes bytes once. Cursors are opaque: the feed
 * groups readers with equal cursors and never asks which cursor is later.
 */
export function createFeed(core: Core, limits: FeedLimits = feedLimits): Feed {
  const readers = new Set<Reader>()
  let passing = false
  let again = false

  const offCommit = core.bus.onCommit(hint)
  // Set only while a reader wants deltas.
  let offDelta: (() => void) | undefined
  // Nothing hints at the commits of other processes.
  const poll = setInterval(hint, limits.pollMs).unref()
  const pulse = setInterval(keepAlive, limits.pingMs).unref()

  return {
    get readers() {
      return readers.size
    },
    async subscribe(sink, filter, after) {
      const start = after ?? (await latestSeq(core))
      const first = await readEvents(core, { ...choiceOf(filter), after: start, limit: PAGE })
      const reader: Reader = {
        sink,
        filter,
        cursor: start,
        told: start,
        live: false,
        gone: false,
        close: () => leave(reader),
      }
      readers.add(reader)
      if (filter.deltas === true) offDelta ??= core.bus.onDelta(tellDelta)
      sink.begin(start)
      void catchUp(reader, first)
      return reader
    },
    close() {
      offCommit()
      clearInterval(poll)
      clearInterval(pulse)
      for (const reader of readers) drop(reader, shuttingDown())
    },
  }

  function hint(): void {
    if (readers.size === 0) return
    again = true
    if (!passing) void pass()
  }

  async function pass(): Promise<void> {
    passing = true
    while (again) {
      again = false
      for (const [cursor, group] of Map.groupBy(live(), (reader) => reader.cursor)) {
        await readTogether(cursor, group).catch((error) => fail(group, error))
      }
    }
    passing = false
  }

  async function readTogether(cursor: string, group: Reader[]): Promise<void> {
    const { items, seq, full } = await readEvents(core, { after: cursor, limit: PAGE })
    if (full) again = true
    const frames = items.map(eventFrame)
    for (const reader of group) {
      if (!reader.gone) tellAll(reader, items, frames, seq)
    }
  }

  function tellAll(reader: Reader, items: readonly Event[], frames: readonly Frame[], seq: string): void {
    for (const [at, event] of items.entries()) {
      if (!isWanted(reader.filter, event)) continue
      if (reader.sink.buffered > limits.bufferBytes) {
        fallBehind(reader)
        return
      }
      reader.sink.write(frames[at]!)
      reader.cursor = reader.told = event.seq
    }
    reader.cursor = seq
  }

  /** Nothing more is put into the reader's buffer. It reads by itself, as fast as its network takes the events. */
  function fallBehind(reader: Reader): void {
    reader.live = false
    void flush(reader).then((kept) => (kept ? catchUp(reader) : undefined))
  }

  async function catchUp(reader: Reader, first?: EventPage): Promise<void> {
    try {
      let page = first
      for (;;) {
        page ??= await readEvents(core, { ...choiceOf(reader.filter), after: reader.cursor, limit: PAGE })
        let taken = Promise.resolve()
        for (const event of page.items) {
          if (reader.gone) return
          const { promise: flushed, resolve } = Promise.withResolvers<void>()
          taken = flushed
          reader.sink.write(eventFrame(event), resolve)
          reader.cursor = reader.told = event.seq
          if (reader.sink.buffered > limits.bufferBytes && !(await inTime(reader, flushed))) return
        }
        if (reader.gone) return
        reader.cursor = page.seq
        if (!page.full) break
        // Between two pages everybody else has a turn, and one who has left is noticed before more is read for it.
        if (!(await inTime(reader, taken))) return
        page = undefined
      }
      reader.live = true
      tellWritten(reader)
      hint()
    } catch (error) {
      fail([reader], error)
    }
  }

  function flush(reader: Reader): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>()
    reader.sink.write(seqFrame(reader.told), resolve)
    return inTime(reader, promise)
  }

  async function inTime(reader: Reader, flushed: Promise<void>): Promise<boolean> {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      drop(reader, tooSlow())
      late.resolve()
    }, limits.drainMs)
    await Promise.race([flushed, late.promise])
    clearTimeout(timer)
    return !reader.gone
  }

  /** Deltas are hints: a reader that is behind does not get them, and the offset of the next one shows the gap. */
  function tellDelta(delta: Delta): void {
    let frame: Frame | undefined
    for (const reader of live()) {
      if (!hears(reader, delta)) continue
      frame ??= deltaFrame(delta)
      reader.sink.write(frame)
    }
  }

  /** What is being written already, from its beginning; its next piece is the next delta. */
  function tellWritten(reader: Reader): void {
    if (reader.filter.deltas !== true) return
    for (const delta of core.bus.soFar()) if (hears(reader, delta)) reader.sink.write(deltaFrame(delta))
  }

  function hears({ filter, sink }: Reader, delta: Delta): boolean {
    return filter.deltas === true && sink.buffered <= limits.bufferBytes / 2 && isAbout(filter, delta)
  }

  function keepAlive(): void {
    for (const reader of readers) {
      reader.sink.ping()
      if (!reader.live || reader.told === reader.cursor) continue
      reader.sink.write(seqFrame(reader.cursor))
      reader.told = reader.cursor
    }
  }

  function* live(): Iterable<Reader> {
    for (const reader of readers) if (reader.live) yield reader
  }

  function fail(group: readonly Reader[], error: unknown): void {
    core.log('error', 'Reading events for clients failed', { error: String(error) })
    for (const reader of group) drop(reader, error instanceof AppError ? error : interrupted())
  }

  function drop(reader: Reader, error: AppError): void {
    if (reader.gone) return
    leave(reader)
    reader.sink.end(error)
  }

  function leave(reader: Reader): void {
    reader.gone = true
    reader.live = false
    readers.delete(reader)
    if (offDelta === undefined || readers.values().some(({ filter }) => filter.deltas === true)) return
    offDelta()
    offDelta = undefined
  }
}

const choiceOf = ({ deltas: _, ...choice }: Filter): EventChoice => choice

const isWanted = (filter: Filter, event: Event): boolean =>
  (filter.types === undefined || filter.types.includes(event.type)) && isAbout(filter, event)

// These sentences must fit into the close reason of a WebSocket: 123 bytes.
const tooSlow = (): AppError =>
  new AppError(
    'events.too_slow',
    'Too slow: what waited for you was dropped. Reconnect with "after" = the last seq you got.',
  )

const interrupted = (): AppError =>
  new AppError('internal', 'The events could not be read. Reconnect with "after" = the last seq you got.')

const shuttingDown = (): AppError =>
  new AppError('server.shutting_down', 'The server is shutting down. Reconnect with "after" = the last seq you got.')
