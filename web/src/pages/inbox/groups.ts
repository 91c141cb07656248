import type { InboxItem, InboxKind } from '../../../../src/contract/inbox.ts'
import type { IconName } from '../../parts/icon.tsx'
import { byUrgency, needsMe } from '../../state/inbox.ts'

interface KindShown {
  readonly kind: InboxKind
  readonly plural: string
  readonly icon: IconName
}

/** In the order in which the inbox shows them: what holds somebody up comes first. */
export const kinds: readonly KindShown[] = [
  { kind: 'question', plural: 'Questions', icon: 'question' },
  { kind: 'approval', plural: 'Approvals', icon: 'shield' },
  { kind: 'proposal', plural: 'Proposals', icon: 'branch' },
  { kind: 'message', plural: 'Messages', icon: 'message' },
  { kind: 'notice', plural: 'Notices', icon: 'bell' },
]

export interface Group extends KindShown {
  readonly items: readonly InboxItem[]
}

/** What needs an answer by how much waits for it, the rest newest first. */
export const grouped = (items: readonly InboxItem[]): readonly Group[] =>
  kinds
    .map((shown) => ({ ...shown, items: items.filter(({ kind }) => kind === shown.kind).toSorted(order) }))
    .filter((group) => group.items.length > 0)

const order = (a: InboxItem, b: InboxItem): number =>
  a.status === 'open' && b.status === 'open' && needsMe(a)
    ? byUrgency(a, b)
    : Number(b.status === 'open') - Number(a.status === 'open') || b.createdAt.localeCompare(a.createdAt)

/** Nobody stands still for it, so it can be dismissed. */
export const isWaved = (item: InboxItem): boolean => item.status === 'open' && !needsMe(item) && item.waits.length === 0
