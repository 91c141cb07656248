import type { InboxAnswer, InboxItem } from '../../../src/contract/inbox.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

const SHOWN = 200

/** What is open in the inbox, over all projects. */
const openInbox: Resource<readonly InboxItem[]> = {
  key: 'inbox',
  async read() {
    const { value, seq } = await server.snapshot('GET /api/inbox', { query: { status: 'open', limit: SHOWN } })
    return { value: value.items, seq }
  },
  interest: { types: ['inbox.added', 'inbox.answered', 'inbox.dismissed', 'inbox.expired'] },
  fold: (items, { type, data }) =>
    type === 'inbox.added' ? stale : items.filter(({ id }) => id !== (data as { inboxId?: string }).inboxId),
}

export const useInbox = (): Live<readonly InboxItem[]> => useLive(openInbox)

/** Something goes on when it is answered: it counts, everywhere with the same number. */
export const needsMe = ({ kind }: InboxItem): boolean =>
  kind === 'question' || kind === 'approval' || kind === 'proposal'

/** What more waits behind an item comes first, then what waits longest. */
export const byUrgency = (a: InboxItem, b: InboxItem): number =>
  b.waits.length - a.waits.length || a.createdAt.localeCompare(b.createdAt)

/** The sessions that stand still until the person answers. */
export const askers = (items: readonly InboxItem[] = []): ReadonlySet<string> =>
  new Set(items.filter(needsMe).flatMap((item) => item.waits.map(({ sessionId }) => sessionId as string)))

/** Throws where it was answered before, elsewhere. */
export const answerItem = (id: InboxItem['id'], body: InboxAnswer): Promise<InboxItem> =>
  server.call('POST /api/inbox/{id}/answer', { params: { id }, body })

export const dismissItem = (id: InboxItem['id']): Promise<InboxItem> =>
  server.call('POST /api/inbox/{id}/dismiss', { params: { id } })
