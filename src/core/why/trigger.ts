import { AppError } from '../../contract/errors.ts'
import type { TriggerId } from '../../contract/ids.ts'
import { selectFires } from '../../store/fires.ts'
import type { TriggerRow } from '../../store/tables.ts'
import { findTrigger, whenOf } from '../../store/triggers.ts'
import { line, moment, person, wakes } from '../waits/index.ts'
import type { Look, Reason } from './reason.ts'

const LAST = 3

/** When a trigger fires next, and what became of it last. */
export async function triggerReason(look: Look, id: TriggerId): Promise<Reason> {
  const row = await findTrigger(look.db, id)
  if (row === undefined) {
    throw new AppError('trigger.not_found', `There is no trigger "${id}".`, { hint: 'List them: troupe triggers list' })
  }
  const last = await selectFires(look.db, { trigger: id, limit: LAST })
  return {
    ref: id,
    state: row.status,
    since: row.status === 'active' ? row.created_at : row.updated_at,
    who: `The trigger ${line(look, row.name)}`,
    notes: last.map(
      ({ due_at, outcome, reason, delivery }) =>
        `${moment(due_at)}: ${outcome}${delivery === null ? '' : `, webhook ${delivery}`}${reason === null ? '' : `: ${line(look, reason, 300)}`}`,
    ),
    ...statusOf(look, row),
  }
}

function statusOf(look: Look, row: TriggerRow): Pick<Reason, 'says' | 'waitsOn' | 'wakes' | 'unblock'> {
  const now = person('fire it now', `troupe triggers fire ${row.id}`)
  if (row.status === 'active') {
    const waits = waitsFor(row)
    return {
      ...waits,
      unblock: [now, person('pause it', `troupe triggers pause ${row.id}`)],
    }
  }
  const over = { waitsOn: [], wakes: wakes('nothing', 'nothing: it is over'), unblock: [now] }
  if (row.status === 'fired') return { says: 'had its one time', ...over }
  if (row.status === 'expired') return { says: `has acted ${row.fires} times, which is the most`, ...over }
  return {
    says: row.reason === null ? 'is paused' : `is paused: ${line(look, row.reason, 300)}`,
    waitsOn: [{ kind: 'person', ref: 'human', label: 'may resume it' }],
    wakes: wakes('person', 'only a person who resumes it'),
    unblock: [person('resume it', `troupe triggers resume ${row.id}`), now],
  }
}

function waitsFor(row: TriggerRow): Pick<Reason, 'says' | 'waitsOn' | 'wakes'> {
  const when = whenOf(row)
  if (when?.type === 'on_event') {
    const label = `an event ${when.config.pattern}`
    return { says: `waits for ${label}`, waitsOn: [], wakes: wakes('mail', label) }
  }
  const at = row.next_due ?? row.updated_at
  const what = when?.type === 'on_idle' ? `looks whether ${when.config.agent} is idle` : 'fires'
  return {
    says: `${what} at ${moment(at)}`,
    waitsOn: [{ kind: 'timer', ref: row.id, label: moment(at) }],
    wakes: wakes('time', `the time ${moment(at)}`, at),
  }
}
