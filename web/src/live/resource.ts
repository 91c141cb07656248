import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import { CallFailure } from '../../../src/client/failure.ts'
import { follow, type Interest, type LiveStream } from '../../../src/client/live.ts'
import type { Delta, Event } from '../../../src/contract/events.ts'
import { signedOut, streamBack, streamLost } from './connection.ts'
import { forgetToken, server } from './server.ts'

/** Something that the page shows: a snapshot of the server's, and how later events change it. */
export interface Resource<T> {
  /** The same key is the same thing: all who show it share one snapshot and one stream. */
  readonly key: string
  read(): Promise<{ readonly value: T; readonly seq?: string | undefined }>
  /** Which events concern it; without any it is read once, and again when asked. */
  readonly interest?: Interest
  /** The value after one more event; `stale` when it must be read anew. */
  fold?(value: T, event: Event): T | typeof stale
  foldDelta?(value: T, delta: Delta): T
}

/** The event says that something changed, and not all of what it is now. */
export const stale = Symbol('stale')

/** What is known of a resource right now. */
export interface Live<T> {
  readonly value: T | undefined
  readonly failure: CallFailure | undefined
  /** Reads it anew. */
  refresh(): void
  /** Shows a change before the server has told of it; the next read or event says what is true. */
  put(change: (value: T) => T): void
}

/** What nobody shows any more is kept so long: going back is instant. */
const LINGER_MS = 5000
/** Changes within this time are shown together. */
const TELL_MS = 16
/** After a read that did not reach the server. */
const RETRY_MS = 1000
/** A page waits for its server as long as it is open. */
const TRIES = Number.MAX_SAFE_INTEGER

const known = new Map<string, Held<unknown>>()

export function useLive<T>(resource: Resource<T>): Live<T> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says which resource it is
  const held = useMemo(() => heldFor(resource), [resource.key])
  useEffect(() => held.hold(), [held])
  return useSyncExternalStore(
    useCallback((watcher) => held.watch(watcher), [held]),
    () => held.now,
  )
}

/** Reads a resource anew wherever it is shown; after an act of the person whose outcome no event tells. */
export function refresh(key: string): void {
  known.get(key)?.now.refresh()
}

interface Held<T> {
  readonly now: Live<T>
  hold(): () => void
  watch(watcher: () => void): () => void
}

function heldFor<T>(resource: Resource<T>): Held<T> {
  const held = known.get(resource.key) ?? createHeld(resource as Resource<unknown>)
  known.set(resource.key, held)
  return held as Held<T>
}

function createHeld<T>(resource: Resource<T>): Held<T> {
  const { key } = resource
  const watchers = new Set<() => void>()
  let now: Live<T> = { value: undefined, failure: undefined, refresh: () => void look(), put }
  let holders = 0
  let lingering: ReturnType<typeof setTimeout> | undefined
  let _telling: ReturnType<typeof setTimeout> | undefined
  let stream: LiveStream | undefined
  let looking = false
  let again = false
  let gone = false

  function become(change: Partial<Live<T>>): void {
    now = { ...now, ...change }
    _telling ??= setTimeout(() => {
      _telling = undefined
      for (const watcher of watchers) watcher()
    }, TELL_MS)
  }

  function put(change: (value: T) => T): void {
    if (now.value !== undefined) become({ value: change(now.value) })
  }

  /** One read at a time; what is asked for meanwhile is read once more. */
  async function look(): Promise<void> {
    again = true
    if (looking) return
    looking = true
    while (again && !gone) {
      again = false
      await read()
    }
    looking = false
  }

  async function read(): Promise<void> {
    try {
      const { value, seq } = await resource.read()
      if (gone) return
      streamBack(key)
      become({ value, failure: undefined })
      if (resource.interest === undefined) return
      if (stream === undefined) await open(seq)
      else stream.from(seq)
    } catch (thrown) {
      fail(thrown)
    }
  }

  async function open(after: string | undefined): Promise<void> {
    const listener = { event, delta, anew, lost: () => streamLost(key), back: () => streamBack(key) }
    const where = { find: async () => server.url, tries: TRIES }
    const opened = await follow(server, { project: '*', ...resource.interest, after }, listener, where)
    if (gone) return opened.close()
    stream = opened
    opened.ended.catch(fail)
  }

  async function anew(): Promise<string | undefined> {
    const { value, seq } = await resource.read()
    become({ value })
    return seq
  }

  function event(happened: Event): void {
    if (now.value === undefined) return
    const next = resource.fold?.(now.value, happened) ?? stale
    if (next === stale) void look()
    else if (next !== now.value) become({ value: next })
  }

  function delta(given: Delta): void {
    if (now.value === undefined || resource.foldDelta === undefined) return
    const next = resource.foldDelta(now.value, given)
    if (next !== now.value) become({ value: next })
  }

  function fail(thrown: unknown): void {
    if (gone) return
    const failure = failureOf(thrown)
    if (isRefusedSignIn(failure)) {
      forgetToken()
      signedOut()
      return
    }
    become({ failure })
    if (failure.kind === 'lost') {
      streamLost(key)
      setTimeout(() => {
        if (!gone) void look()
      }, RETRY_MS)
    }
  }

  function end(): void {
    gone = true
    known.delete(key)
    stream?.close()
    streamBack(key)
  }

  return {
    get now() {
      return now
    },
    hold() {
      holders += 1
      clearTimeout(lingering)
      if (holders === 1 && stream === undefined) void look()
      return () => {
        holders -= 1
        if (holders === 0) lingering = setTimeout(end, LINGER_MS)
      }
    },
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

export const failureOf = (thrown: unknown): CallFailure =>
  thrown instanceof CallFailure ? thrown : new CallFailure('foreign', String(thrown))

const isRefusedSignIn = ({ code }: CallFailure): boolean => code === 'auth.missing' || code === 'auth.wrong'
