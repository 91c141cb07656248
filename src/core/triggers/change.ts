import { AppError } from '../../contract/errors.ts'
import type { SessionId, TriggerId } from '../../contract/ids.ts'
import type { ChangeTrigger, Trigger, When } from '../../contract/triggers.ts'
import type { SessionRow, TriggerRow } from '../../store/tables.ts'
import {
  deleteTriggerRows,
  findTrigger,
  lockTrigger,
  selectTriggers,
  toTrigger,
  updateTrigger,
  whenOf,
} from '../../store/triggers.ts'
import { type Core, latestSeq, type Project, type Tx, transact } from '../base/index.ts'
import { checkAction } from './actions.ts'
import { seenNow } from './gates.ts'
import { setTimer, triggerChange } from './ledger.ts'
import { checkForAgent, firstDue, stored } from './make.ts'

/** Changes, moves, pauses or resumes a trigger. What was due while it was paused is not made up for. */
export async function changeTrigger(
  core: Core,
  project: Project,
  id: TriggerId,
  change: ChangeTrigger,
): Promise<Trigger> {
  const row = await mustFind(core, id)
  const by = { project, ...(row.owner_session_id !== null && { owner: row.owner_session_id }) }
  if (row.daemon !== null && change.action)
    throw new AppError('trigger.invalid', 'action: this trigger is a daemon’s; what it does is in its heartbeat file.')
  if (change.action) await checkAction(core, by, change.action)
  if (change.when && row.made_by === 'agent') checkForAgent(core, change.when)
  const cursor = await latestSeq(core)
  const seen = change.when && (await seenNow(core, project, change.when, change.action))
  const fresh = await transact(core, 'trigger.change', async (tx) => {
    const old = await lockTrigger(tx.db, id)
    if (old === undefined) throw notFound(id)
    const next = { ...old, ...fieldsOf(tx, old, change), ...(seen === undefined ? {} : { seen }) }
    if (next.status === 'active' && next.max_fires !== null && next.fires >= next.max_fires)
      throw new AppError('trigger.state', `It has acted ${next.fires} times, which is the most (maxFires).`, {
        hint: 'Raise maxFires with the same request.',
      })
    const began = next.status === 'active' && (old.status !== 'active' || change.when !== undefined)
    if (began && next.type === 'on_event') next.event_cursor = cursor
    next.updated_at = tx.now
    await updateTrigger(tx.db, id, next)
    await setTimer(tx, next, next.status === 'active' ? (next.next_due ?? undefined) : undefined)
    tx.record('trigger.changed', { project: next.project_id }, triggerChange(next, shown(change)))
    return next
  })
  return toTrigger(fresh)
}

function fieldsOf(tx: Tx, old: TriggerRow, change: ChangeTrigger): Partial<TriggerRow> {
  const when = change.when ? stored(change.when, tx.now) : whenOf(old)
  if (when === undefined) throw new AppError('trigger.invalid', 'when: what is stored cannot be read; give it anew.')
  const resumed = change.status === 'active' && old.status !== 'active'
  const moved = change.when !== undefined || resumed
  return {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.catchUp === undefined ? {} : { catch_up: change.catchUp }),
    ...(change.maxFires === undefined ? {} : { max_fires: change.maxFires }),
    ...(change.action === undefined ? {} : { action: JSON.stringify(change.action) }),
    ...(change.when === undefined ? {} : { type: when.type, config: JSON.stringify(when.config) }),
    ...(change.status === undefined ? {} : { status: change.status, reason: null }),
    ...(moved ? { anchor_at: tx.now, next_due: nextFor(when, tx.now, resumed && change.when === undefined) } : {}),
    // What is over begins anew when it is moved.
    ...(change.when && change.status === undefined && ['fired', 'expired'].includes(old.status)
      ? { status: 'active' as const }
      : {}),
  }
}

function nextFor(when: When, now: number, resumed: boolean): number | null {
  const next = firstDue(when, now)
  if (!resumed || when.type !== 'at_time' || (next ?? 0) > now) return next
  throw new AppError('trigger.state', `Its time was ${when.config.at}, which is over.`, {
    hint: 'Give it another time, or fire it now: troupe triggers fire <id>.',
  })
}

const shown = ({ when, ...rest }: ChangeTrigger): Record<string, unknown> => ({ ...rest, ...when })

export async function deleteTrigger(core: Core, id: TriggerId): Promise<Trigger> {
  const row = await transact(core, 'trigger.delete', async (tx) => {
    const old = await lockTrigger(tx.db, id)
    if (old === undefined) throw notFound(id)
    await setTimer(tx, old, undefined)
    await deleteTriggerRows(tx.db, id)
    tx.record('trigger.changed', { project: old.project_id }, triggerChange(old, { deleted: true }))
    return old
  })
  return toTrigger(row)
}

/** An agent takes back what it set up. Its outcomes stay, and so does what it began. */
export async function cancelTriggerAs(core: Core, owner: SessionId, id: TriggerId): Promise<void> {
  await transact(core, 'trigger.cancel', async (tx) => {
    const row = await lockTrigger(tx.db, id)
    if (row?.owner_session_id !== owner) {
      throw new AppError('trigger.not_found', `You have scheduled no "${id.slice(0, 80)}".`, {
        hint: 'list_triggers shows what you have scheduled.',
      })
    }
    if (row.status === 'fired' || row.status === 'expired') return
    await updateTrigger(tx.db, id, { status: 'expired', reason: 'Canceled by its maker.', updated_at: tx.now })
    await setTimer(tx, row, undefined)
    tx.record('trigger.changed', { project: row.project_id }, triggerChange(row, { status: 'expired' }))
  })
}

/** A session is deleted: what it set up stops, in the same transaction. */
export async function pauseTriggersOf(tx: Tx, session: SessionRow): Promise<void> {
  const query = { project: session.project_id, owner: session.id, status: 'active', limit: 1000 } as const
  for (const { id } of await selectTriggers(tx.db, query)) {
    const row = await lockTrigger(tx.db, id)
    if (row?.status !== 'active') continue
    const reason = 'The session that made it was deleted.'
    await updateTrigger(tx.db, id, { status: 'paused', reason, updated_at: tx.now })
    await setTimer(tx, row, undefined)
    tx.record('trigger.changed', { project: row.project_id }, triggerChange(row, { status: 'paused', reason }))
  }
}

export async function mustFind(core: Core, id: TriggerId): Promise<TriggerRow> {
  const row = await findTrigger(core.store.read, id)
  if (row === undefined) throw notFound(id)
  return row
}

export const notFound = (id: string): AppError =>
  new AppError('trigger.not_found', `There is no trigger "${id.slice(0, 80)}".`, {
    hint: '"troupe triggers list" shows them.',
  })
