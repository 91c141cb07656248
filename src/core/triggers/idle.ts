import type { TriggerRow } from '../../store/tables.ts'
import { activityOf } from '../../store/trigger-looks.ts'
import type { Core } from '../base/index.ts'
import type { Due } from './due.ts'

/** While an agent works, it is looked at again after this long at the latest. */
const LOOK_MS = 60_000

/**
 * An agent that was idle for so long is acted on once; the next time comes after it was active again. Each idle time is
 * told apart by the activity before it.
 */
export async function dueOfIdle(
  core: Core,
  row: TriggerRow,
  { idleSeconds, agent }: { idleSeconds: number; agent: string },
  now: number,
): Promise<Due> {
  const idleMs = idleSeconds * 1000
  const { busy, last } = await activityOf(core.store.read, row.project_id, agent, row.id)
  const since = Math.max(last, row.anchor_at)
  const nothing = { passed: [], as: 'coalesced' } as const
  if (busy) return { ...nothing, next: now + Math.min(idleMs, LOOK_MS) }
  if (since + idleMs > now) return { ...nothing, next: since + idleMs }
  const occasion = `idle:${since}`
  const next = now + idleMs
  if (row.seen === JSON.stringify({ idle: since })) return { ...nothing, next }
  return {
    ...nothing,
    act: { due: since + idleMs, outcome: 'fired', occasion, seen: JSON.stringify({ idle: since }) },
    next,
  }
}
