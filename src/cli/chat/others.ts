import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import { follow, type LiveStream } from '../../client/live.ts'
import type { Event } from '../../contract/events.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import type { Cli } from '../cli.ts'
import { openItems } from '../inbox-items.ts'
import { whereabouts } from '../server.ts'

const AGAIN_MS = 2000

interface Listener {
  isHere(sessionId: string): boolean
  /** Another session has something for the person. */
  added(item: InboxItem): void
  /** What another session asked is settled. */
  over(event: Event): void
}

/** Watches the inbox for sessions other than the one the person looks at. Returns a function that stops it. */
export function watchOthers(cli: Cli, client: Client, { isHere, added, over }: Listener): () => void {
  const stop = new AbortController()
  let live: LiveStream | undefined

  const watch = (): Promise<LiveStream> =>
    follow(
      client,
      { types: ['inbox.added', 'inbox.answered', 'inbox.dismissed', 'inbox.expired'], project: '*' },
      {
        async event(event) {
          if (event.sessionId && isHere(event.sessionId)) return
          if (event.type !== 'inbox.added') return over(event)
          const item = (await openItems(client)).find(({ id }) => id === event.data.inboxId)
          if (item && !item.waits.some((wait) => isHere(wait.sessionId))) added(item)
        },
      },
      // The conversation restarts a server that was killed; if this did so too, the two would race.
      whereabouts({ ...cli, start: false }),
    )

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
