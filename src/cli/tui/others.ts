import type { InboxItem } from '../../contract/inbox.ts'
import type { Cli } from '../cli.ts'
import type { Client } from '../client.ts'
import { openItems } from '../items.ts'
import { follow, type Live } from '../live.ts'

/** Tells of what comes to the person from sessions other than the one they look at. */
export const watchOthers = (
  cli: Cli,
  client: Client,
  isHere: (sessionId: string) => boolean,
  tell: (item: InboxItem) => void,
): Promise<Live> =>
  follow(
    cli,
    client,
    { types: ['inbox.added'], project: '*' },
    {
      async event({ sessionId, data }) {
        if (sessionId && isHere(sessionId)) return
        const item = (await openItems(client)).find(({ id }) => id === data.inboxId)
        if (item && !item.waits.some((wait) => isHere(wait.sessionId))) tell(item)
      },
    },
  )
