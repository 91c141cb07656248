import type { InboxItem } from '../../../src/contract/inbox.ts'
import { type Standing, standings } from './standing.ts'

/** An item of the inbox in the status language of the page. */
export const standingOfItem = ({ kind, status }: InboxItem): Standing => {
  if (status === 'answered') return { ...standings.done, word: 'answered' }
  if (status === 'dismissed') return { ...standings.canceled, word: 'dismissed' }
  if (status === 'expired') return { ...standings.closed, word: 'expired' }
  if (kind === 'approval') return standings.approval
  if (kind === 'question' || kind === 'proposal') return standings.asks
  return { ...standings.waiting, word: kind }
}

/** The runs that stand still until the person says whether a limit is raised. */
export const heldRuns = (items: readonly Pick<InboxItem, 'action' | 'lineage'>[] = []): ReadonlySet<string> =>
  new Set(
    items
      .filter(({ action }) => action === 'budget' || action === 'limit')
      .flatMap(({ lineage }) => lineage.filter(({ kind }) => kind === 'run').map(({ id }) => id)),
  )
