import type { AccountState } from '../../../src/contract/models.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import { clock } from '../parts/figures.tsx'
import { type Standing, standings } from './standing.ts'

/** The accounts of each provider, and what waits for them. */
const accountsOf = (project: string | undefined): Resource<readonly AccountState[]> => ({
  key: `accounts ${project ?? ''}`,
  async read() {
    const { value, seq } = await server.snapshot('GET /api/accounts', { query: { project } })
    return { value: value.items, seq }
  },
  interest: { types: ['model.queued', 'model.switched', 'model.retried'] },
  fold: () => stale,
})

export const useAccounts = (project: string | undefined): Live<readonly AccountState[]> => useLive(accountsOf(project))

/** Whether it is used right now, and if not, until when or why. */
export function nowOfAccount(account: AccountState): { readonly standing: Standing; readonly word: string } {
  const { usable, reason, closedUntil, exhaustedUntil } = account
  if (!usable) return { standing: standings.paused, word: reason ?? 'not usable' }
  if (closedUntil) return { standing: standings.failed, word: `next try ${clock(closedUntil)}: ${reason ?? ''}` }
  if (exhaustedUntil) return { standing: standings.waiting, word: `rests until ${clock(exhaustedUntil)}` }
  return { standing: standings.idle, word: 'usable' }
}
