import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import { follow, type LiveStream } from '../../client/live.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import type { Cli } from '../cli.ts'
import { openItems } from '../inbox-items.ts'
import { whereabouts } from '../server.ts'

const AGAIN_MS = 2000

/** Tells the person about inbox items of sessions other than the one they look at. Returns a function that stops it. */
export function watchOthers(
  cli: Cli,
  client: Client,
  isHere: (sessionId: string) => boolean,
  tell: (item: InboxItem) => void,
): () => void {
  const stop = new AbortController()
  let live: LiveStream | undefined

  const watch = (): Promise<LiveStream> =>
    follow(
      client,
      { types: ['inbox.added'], project: '*' },
      {
        async event({ sessionId, data }) {
          if (sessionId && isHere(sessionId)) return
          const item = (await openItems(client)).find(({ id }) => id === data.inboxId)
          if (item && !item.waits.some((wait) => isHere(wait.sessionId))) tell(item)
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
