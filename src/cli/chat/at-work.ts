import type { Client } from '../../client/client.ts'
import { fold } from '../../client/fold.ts'
import { follow, type LiveStream, type Whereabouts } from '../../client/live.ts'
import { type EventHandlers, handleEvent } from '../../contract/event-handlers.ts'
import type { EventType } from '../../contract/events.ts'
import type { Session } from '../../contract/sessions.ts'

/** A session that works for a call of the session on the screen. */
export interface Helper {
  /** As the events up to now have left it. */
  session: Session
  /** What it does now, by call. */
  readonly calls: Map<string, HelperCall>
  /** What it did last. */
  last: HelperCall | undefined
}

interface HelperCall {
  readonly name: string
  readonly preview: string
  /** The call waits for the person. */
  asks?: boolean
  /** The sessions that work for this call. */
  sessions?: readonly string[]
}

export interface Helpers {
  /** Follows these sessions, named by id or handle, until they are released. */
  watch(ids: readonly string[]): void
  release(ids: readonly string[]): void
  find(id: string): Helper | undefined
  close(): void
}

interface World {
  readonly client: Client
  readonly whereabouts: Whereabouts
  readonly changed: () => void
}

interface Followed {
  helper?: Helper
  live?: LiveStream
  gone: boolean
}

/** Helpers of helpers are shown, those below them are not. */
export const DEPTH = 2
/** How many helpers are followed at once; the others are only counted. */
const FOLLOWED = 8
const RECENT = 50

const types: EventType[] = ['turn.ended', 'tool.started', 'tool.ended', 'call.parked', 'call.resumed']

export function createHelpers({ client, whereabouts, changed }: World): Helpers {
  const followed = new Map<string, Followed>()

  /** Under which name the session is followed: a handle is the beginning of an id. */
  const keyOf = (ref: string): string | undefined =>
    [...followed.keys()].find((key) => key.startsWith(ref) || ref.startsWith(key))

  function watch(ids: readonly string[], depth: number): void {
    if (depth > DEPTH) return
    for (const id of ids) {
      if (keyOf(id) !== undefined || followed.size >= FOLLOWED) continue
      const entry: Followed = { gone: false }
      followed.set(id, entry)
      // What a helper does is shown beside the conversation: a failure here must not end that.
      void open(id, depth, entry).catch(() => followed.delete(id))
    }
  }

  async function open(id: string, depth: number, entry: Followed): Promise<void> {
    const { value, seq } = await client.snapshot('GET /api/sessions/{ref}', { params: { ref: id } })
    const helper: Helper = { session: value, calls: new Map(), last: undefined }
    const query = { session: id, types, limit: RECENT, newest: true }
    for (const event of (await client.call('GET /api/events', { query })).items) handleEvent(on(helper, depth), event)
    entry.helper = helper
    changed()
    entry.live = await follow(
      client,
      { session: id, after: seq },
      {
        event(event) {
          helper.session = fold(helper.session, event)
          handleEvent(on(helper, depth), event)
          changed()
        },
      },
      whereabouts,
    )
    if (entry.gone) entry.live.close()
  }

  const on = (helper: Helper, depth: number): EventHandlers<void> => ({
    'turn.ended': () => helper.calls.clear(),
    'tool.started': ({ callId, name, preview }) => {
      helper.last = { name, preview }
      helper.calls.set(callId, helper.last)
    },
    'tool.ended': ({ callId }) => end(helper.calls, callId),
    'call.parked': ({ callId, name, inboxId, sessions = [] }) => {
      const { preview = '' } = helper.calls.get(callId) ?? {}
      helper.calls.set(callId, { name, preview, asks: inboxId !== undefined, sessions })
      watch(sessions, depth + 1)
    },
    'call.resumed': ({ callId }) => {
      const call = helper.calls.get(callId)
      if (call) helper.calls.set(callId, { ...call, asks: false })
    },
  })

  function end(calls: Helper['calls'], callId: string): void {
    release(calls.get(callId)?.sessions ?? [])
    calls.delete(callId)
  }

  function release(ids: readonly string[]): void {
    for (const id of ids) {
      const key = keyOf(id) ?? id
      const entry = followed.get(key)
      if (!entry) continue
      followed.delete(key)
      entry.gone = true
      entry.live?.close()
      for (const { sessions = [] } of entry.helper?.calls.values() ?? []) release(sessions)
    }
  }

  return {
    watch: (ids) => watch(ids, 1),
    release,
    find: (id) => followed.get(keyOf(id) ?? id)?.helper,
    close: () => release([...followed.keys()]),
  }
}
