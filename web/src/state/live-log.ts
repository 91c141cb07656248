import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { EventType } from '../../../src/contract/events.ts'
import type { Mail } from '../../../src/contract/mail.ts'
import { remarkTypes } from '../../../src/contract/remarks.ts'
import { type Live, type Resource, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import type { Log } from './log.ts'
import { again, before, newer } from './log-bodies.ts'
import { foldDelta, foldEvent } from './log-fold.ts'

const PAGE = 100
const EVENTS = 1000

const told: readonly EventType[] = [
  ...remarkTypes,
  ...(['tool.started', 'tool.ended', 'tool.denied', 'call.parked', 'call.resumed'] as const),
]

const logResource = (id: string): Resource<Log> => ({
  key: `log ${id}`,
  async read() {
    const params = { ref: id }
    const query = { newest: true, limit: PAGE }
    const { value, seq } = await server.snapshot('GET /api/sessions/{ref}/messages', { params, query })
    const [events, mail] = await Promise.all([
      server.call('GET /api/events', {
        query: { session: id, project: '*', types: [...told], newest: true, limit: EVENTS },
      }),
      server.call('GET /api/mail', { query: { session: id } }),
    ])
    const messages = value.items
    const log: Log = {
      messages,
      more: (messages[0]?.seq ?? 1) > 1,
      newest: messages.at(-1)?.seq ?? 0,
      changed: [],
      remarks: [],
      calls: {},
      writing: undefined,
      waiting: mail.items.filter((one): one is Mail => 'content' in one),
      read: [],
    }
    return { value: events.items.reduce(foldEvent, log), seq }
  },
  interest: { session: id, deltas: true },
  fold: (log, event) => (event.sessionId === id ? foldEvent(log, event) : log),
  foldDelta,
})

export interface LiveLog extends Live<Log> {
  /** Loads what stands before the first message that is shown. */
  older(): void
}

/** Which model answered last. */
export const useAnswerer = (id: string): string | undefined =>
  useLive(useMemo(() => logResource(id), [id])).value?.messages.findLast(({ model }) => model !== undefined)?.model

/** The bodies of new and changed messages are fetched as events tell of them. */
export function useLog(id: string): LiveLog {
  const live = useLive(useMemo(() => logResource(id), [id]))
  const { value, put } = live
  const last = value?.messages.at(-1)?.seq ?? 0
  const behind = value !== undefined && value.newest > last
  useEffect(() => {
    if (behind) void newer(id, last, put)
  }, [behind, id, last, put])
  const changed = value?.changed[0]
  useEffect(() => {
    if (changed !== undefined) void again(id, changed, put)
  }, [changed, id, put])
  const loading = useRef(false)
  const first = value?.messages[0]?.seq
  const more = value?.more ?? false
  const older = useCallback(async () => {
    if (loading.current || first === undefined || !more) return
    loading.current = true
    await before(id, first, put).catch(() => {})
    loading.current = false
  }, [id, first, more, put])
  return { ...live, older }
}
