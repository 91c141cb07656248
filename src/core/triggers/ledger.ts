import type { Event } from '../../contract/events.ts'
import type { FireOutcome } from '../../contract/triggers.ts'
import { iso } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { insertFire, trimFires } from '../../store/fires.ts'
import { findInbox } from '../../store/inbox.ts'
import type { FireRow, TriggerRow } from '../../store/tables.ts'
import { deleteTimers, moveTimer } from '../../store/timers.ts'
import { updateTrigger } from '../../store/triggers.ts'
import type { Chain, Tx } from '../base/index.ts'
import { notifyProject } from '../inbox/index.ts'
import type { Acted, Withheld } from './action.ts'
import type { Due, Passed } from './due.ts'

/** Each occurrence has one outcome here, written with its effect or with the reason why it has none. */

/** What an occurrence is and when it was due. */
export interface Occurrence {
  readonly id: string
  readonly occasion: string
  readonly due: number
  readonly chain: Chain
  readonly event?: Event | undefined
}

export const timeOccasion = (due: number): string => `due:${due}`

const timerOf = ({ id }: Pick<TriggerRow, 'id'>): string => `trigger:${id}`

const KEPT = 2000
const TRIM_EVERY = 100

/** Occurrences on which nobody acts; returns whether there were any. */
export async function recordPassed(tx: Tx, row: TriggerRow, { passed, as }: Due, reason: string): Promise<boolean> {
  for (const one of passed) {
    await insertFire(tx.db, { ...rowFor(tx, row, { id: newId('fire'), ...span(one) }), outcome: as, reason })
  }
  const last = passed.at(-1)
  if (last === undefined) return false
  const count = passed.reduce((sum, { covers }) => sum + covers, 0)
  const told = { triggerId: row.id, due: iso(last.due), count, reason }
  if (as === 'coalesced') tx.record('trigger.skipped', { project: row.project_id }, { ...told, outcome: as })
  else {
    tx.record('trigger.missed', { project: row.project_id }, told)
    await tellPerson(tx, row, 'missed', `${row.name} was missed ${count === 1 ? 'once' : `${count} times`}`, reason)
  }
  return true
}

const span = ({ since, due, covers }: Passed) => ({ occasion: timeOccasion(due), due, since, covers })

export async function recordActed(
  tx: Tx,
  row: TriggerRow,
  one: Occurrence,
  outcome: 'fired' | 'caught_up',
  { result, sessionId, delivery }: Acted,
): Promise<boolean> {
  const fire: FireRow = {
    ...rowFor(tx, row, one),
    outcome,
    session_id: sessionId ?? null,
    result: JSON.stringify(result),
    delivery: delivery ?? null,
  }
  if (!(await insertFire(tx.db, fire))) return false
  const about = { project: row.project_id, ...(sessionId && { sessionId }) }
  const told = { triggerId: row.id, fireId: one.id, outcome, due: iso(one.due), result }
  tx.record('trigger.fired', about, told)
  return true
}

export async function recordSkipped(
  tx: Tx,
  row: TriggerRow,
  one: Occurrence,
  { skip, tells = 'person' }: Withheld,
  outcome: 'skipped' | 'coalesced' = 'skipped',
): Promise<void> {
  const added = await insertFire(tx.db, { ...rowFor(tx, row, { ...one, chain: undefined }), outcome, reason: skip })
  if (!added || tells === 'nobody') return
  const told = { triggerId: row.id, due: iso(one.due), count: 1, outcome, reason: skip }
  tx.record('trigger.skipped', { project: row.project_id }, told)
}

/** One open notice for each trigger and kind of trouble: the ledger has the rest. */
export async function tellPerson(
  tx: Tx,
  row: TriggerRow,
  kind: 'missed' | 'failed' | 'stopped',
  title: string,
  reason: string,
): Promise<void> {
  const key = `inbox_${row.id}_${kind}`
  const before = await findInbox(tx.db, key)
  // Its own notice is open, or stands behind a later one of the kind.
  if (before?.status === 'open') return
  await notifyProject(tx, row.project_id, {
    id: before === undefined ? key : `${key}_${tx.now}`,
    // When a server was down, many are missed at once.
    ...(kind === 'missed' ? { group: 'trigger.missed' } : {}),
    title: `Trigger ${title}`,
    body: `${reason}\nAll outcomes: troupe triggers fires ${row.id}`,
    about: { kind: 'trigger', id: row.id, label: row.name },
  })
}

interface Progress {
  /** The next occurrence; undefined when there is none. */
  readonly next: number | undefined
  readonly acted: boolean
  readonly outcome: FireOutcome | undefined
  readonly reason?: string | undefined
  readonly seen?: string | undefined
  readonly cursor?: string | undefined
}

/** Moves the trigger and its timer on. The row of the trigger is locked. */
export async function moveOn(tx: Tx, row: TriggerRow, progress: Progress): Promise<void> {
  const { next, acted, outcome, reason, seen, cursor } = progress
  const fires = row.fires + (acted ? 1 : 0)
  const expired = row.max_fires !== null && fires >= row.max_fires
  const over = next === undefined && row.type !== 'on_event'
  const status = expired ? 'expired' : over ? 'fired' : row.status
  await updateTrigger(tx.db, row.id, {
    fires,
    status,
    next_due: status === 'active' ? (next ?? null) : null,
    ...(acted ? { last_at: tx.now } : {}),
    ...(outcome === undefined ? {} : { last_outcome: reason === undefined ? outcome : `${outcome}: ${reason}` }),
    ...(seen === undefined ? {} : { seen }),
    ...(cursor === undefined ? {} : { event_cursor: cursor }),
    updated_at: tx.now,
  })
  await setTimer(tx, row, status === 'active' ? next : undefined)
  if (status !== row.status) tx.record('trigger.changed', { project: row.project_id }, triggerChange(row, { status }))
  if (fires % TRIM_EVERY === 0) await trimFires(tx.db, row.id, KEPT)
}

/** It can not or must not go on by itself, and the person is told. */
export async function stopTrigger(tx: Tx, row: TriggerRow, reason: string): Promise<void> {
  await updateTrigger(tx.db, row.id, { status: 'paused', reason, updated_at: tx.now })
  await setTimer(tx, row, undefined)
  tx.record('trigger.changed', { project: row.project_id }, triggerChange(row, { status: 'paused', reason }))
  await tellPerson(tx, row, 'stopped', `${row.name} was paused`, reason)
}

export const triggerChange = ({ id }: Pick<TriggerRow, 'id'>, change: Record<string, unknown>) => ({
  triggerId: id,
  changed: change,
})

export async function setTimer(tx: Tx, row: Pick<TriggerRow, 'id'>, due: number | undefined): Promise<void> {
  const id = timerOf(row)
  if (due === undefined) return deleteTimers(tx.db, [id])
  await moveTimer(tx.db, { id, due_at: due, kind: 'trigger', ref: row.id, session_id: null, payload: '{}' })
  tx.alarm(due)
}

type Span = Pick<Occurrence, 'id' | 'occasion' | 'due' | 'event'> & {
  readonly chain?: Chain | undefined
  readonly since?: number
  readonly covers?: number
}

const rowFor = (tx: Tx, { id: trigger }: TriggerRow, one: Span): Omit<FireRow, 'outcome'> => ({
  id: one.id,
  trigger_id: trigger,
  occasion: one.occasion,
  due_at: one.due,
  since_due: one.since ?? one.due,
  covers: one.covers ?? 1,
  at: tx.now,
  reason: null,
  event_seq: one.event?.seq ?? null,
  session_id: null,
  result: null,
  chain_id: one.chain?.id ?? null,
  delivery: null,
  attempts: 0,
})
