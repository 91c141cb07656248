import type { InboxAnswer, InboxItem, InboxStatus } from '../../../src/contract/inbox.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

const PAGE = 200
/** So many items at most are held; the older ones come when these are answered. */
const PAGES = 5

/** Items of the inbox over all projects, newest first; all of them without a status. */
const inbox = (status: InboxStatus | undefined): Resource<readonly InboxItem[]> => ({
  key: `inbox ${status ?? 'all'}`,
  async read() {
    const first = await server.snapshot('GET /api/inbox', { query: { status, limit: PAGE } })
    const items = [...first.value.items]
    let cursor = first.value.nextCursor
    for (let page = 1; page < PAGES && cursor !== undefined; page += 1) {
      const next = await server.call('GET /api/inbox', { query: { status, limit: PAGE, cursor } })
      items.push(...next.items)
      cursor = next.nextCursor
    }
    return { value: items, seq: first.seq }
  },
  interest: { types: ['inbox.added', 'inbox.repeated', 'inbox.answered', 'inbox.dismissed', 'inbox.expired'] },
  fold: (items, { type, data }) =>
    type === 'inbox.added' || type === 'inbox.repeated' || status !== 'open'
      ? stale
      : items.filter(({ id }) => id !== (data as { inboxId?: string }).inboxId),
})

/** What is open. */
export const useInbox = (): Live<readonly InboxItem[]> => useLive(inbox('open'))

export const useInboxOf = (status: InboxStatus | undefined): Live<readonly InboxItem[]> => useLive(inbox(status))

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
