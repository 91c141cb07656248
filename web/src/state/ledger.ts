import type { Event } from '../../../src/contract/events.ts'
import { type Live, type Resource, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

/** What became of one time at which a trigger was due, as the record tells it. */
export interface Entry {
  readonly seq: string
  readonly triggerId: string
  readonly due: string
  readonly outcome: 'fired' | 'caught_up' | 'coalesced' | 'missed' | 'skipped'
  readonly reason: string | undefined
  readonly count: number
}

const KEPT = 1000
const types = ['trigger.fired', 'trigger.missed', 'trigger.skipped'] as const

/** The newest outcomes of all triggers, oldest first: one list for all of them. */
const ledger = (project: string): Resource<readonly Entry[]> => ({
  key: `ledger ${project}`,
  async read() {
    const query = { project, types: [...types], newest: true, limit: KEPT }
    const { items, seq } = await server.call('GET /api/events', { query })
    return { value: items.map(entryOf), seq }
  },
  interest: { project, types: [...types] },
  fold: (known, event) => [...known.slice(-KEPT), entryOf(event)],
})

export const useLedger = (project: string): Live<readonly Entry[]> => useLive(ledger(project))

function entryOf({ seq, type, data }: Event): Entry {
  const { triggerId, due, outcome, reason, count = 1 } = data as unknown as Partial<Entry>
  return {
    seq,
    triggerId: triggerId ?? '',
    due: due ?? '',
    outcome: outcome ?? (type === 'trigger.missed' ? 'missed' : 'fired'),
    reason,
    count,
  }
}
