import type { Trigger } from '../../../../src/contract/triggers.ts'
import { now } from '../../live/clock.ts'
import { server } from '../../live/server.ts'
import { clock, duration } from '../../parts/figures.tsx'
import { attempt } from '../../parts/small.tsx'

export const fireNow = (id: string): Promise<boolean> =>
  attempt(() =>
    server.call('POST /api/triggers/{id}/fire', { params: { id }, body: { clientId: crypto.randomUUID() } }),
  )

export const setStatus = (id: string, status: 'active' | 'paused'): Promise<boolean> =>
  attempt(() => server.call('PATCH /api/triggers/{id}', { params: { id }, body: { status } }))

export function nextOf({ status, nextAt, type, reason }: Trigger): string {
  if (status === 'paused') return reason ?? 'when resumed'
  if (status !== 'active') return status
  if (nextAt === undefined) return type === 'on_event' ? 'at the event' : '–'
  const left = Date.parse(nextAt) - now()
  return left < 1000 ? 'now' : `${clock(nextAt)}, in ${duration(left)}`
}
