import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import { follow, type LiveStream } from '../../client/live.ts'
import type { Event, EventType } from '../../contract/events.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import type { Cli } from '../cli.ts'
import { openItem, openItems } from '../inbox-items.ts'
import { whereabouts } from '../server.ts'
import { isPaused } from '../standstill.ts'

const AGAIN_MS = 2000
const told = [
  ...['inbox.added', 'inbox.answered', 'inbox.dismissed', 'inbox.expired'],
  ...['everything.paused', 'everything.resumed'],
] as EventType[]

interface Listener {
  isHere(sessionId: string): boolean
  /** Takes what a session asks that works for this conversation; false when it is of another one. */
  takes(item: InboxItem): boolean
  /** Another conversation has something for the person. */
  added(item: InboxItem): void
  /** What another session asked is settled. */
  over(event: Event): void
  /** Everything was paused, or goes on again; told of at the beginning only where it is paused. */
  still(paused: boolean): void
}

/** Watches the inbox for sessions other than the one the person looks at. Returns a function that stops it. */
export function watchOthers(cli: Cli, client: Client, { isHere, takes, added, over, still }: Listener): () => void {
  const stop = new AbortController()
  let live: LiveStream | undefined
  let paused = false

  function stands(now: boolean): void {
    if (now === paused) return
    paused = now
    still(now)
  }

  async function watch(): Promise<LiveStream> {
    const query = { status: 'open', project: '*', limit: 1 } as const
    const { seq } = await client.snapshot('GET /api/inbox', { query })
    const followed = await follow(
      client,
      { types: [...told], project: '*', after: seq },
      {
        async event(event) {
          if (event.type.startsWith('everything.')) return stands(event.type === 'everything.paused')
          if (event.sessionId && isHere(event.sessionId)) return
          if (event.type !== 'inbox.added') return over(event)
          const item = await openItem(client, String(event.data.inboxId))
          if (item && !item.waits.some((wait) => isHere(wait.sessionId)) && !takes(item)) added(item)
        },
      },
      // The conversation restarts a server that was killed; if this did so too, the two would race.
      whereabouts({ ...cli, start: false }),
    )
    stands(await isPaused(client))
    // What was asked before we listened.
    for (const item of await openItems(client)) takes(item)
    return followed
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        live = await watch()
        if (stop.signal.aborted) live.close()
        await live.ended
      } catch {}
      await pause(AGAIN_MS, undefined, { signal: stop.signal }).catch(() => {})
    }
  }

  void run()
  return () => {
    stop.abort()
    live?.close()
  }
}
