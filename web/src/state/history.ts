import type { Event } from '../../../src/contract/events.ts'
import { type Live, type Resource, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

/** All that happened in a run, oldest first. */
export interface History {
  readonly events: readonly Event[]
  /** There were more than are kept here: these are the first ones, and none follow. */
  readonly cut: boolean
}

const PAGE = 1000
const PAGES = 50

const historyResource = (run: string): Resource<History> => ({
  key: `history ${run}`,
  async read() {
    const events: Event[] = []
    let seq: string | undefined
    for (let page = 0; page < PAGES; page += 1) {
      const query = { run, project: '*', limit: PAGE, after: seq }
      const { items, seq: next } = await server.call('GET /api/events', { query })
      events.push(...items)
      seq = next
      if (items.length < PAGE) return { value: { events, cut: false }, seq }
    }
    return { value: { events, cut: true } }
  },
  interest: { run },
  fold: (history, event) => (history.cut ? history : { ...history, events: [...history.events, event] }),
})

export const useHistory = (run: string): Live<History> => useLive(historyResource(run))
