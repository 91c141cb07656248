import type { SessionId } from '../../contract/ids.ts'
import { claimSession, unclaimSession } from '../../store/leases.ts'
import { findPresence } from '../../store/presence.ts'
import { openRunOf } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import { countSlotsTaken, findForSlot, firstInLine, takeSlot } from '../../store/slots.ts'
import type { SessionRow, TimerRow } from '../../store/tables.ts'
import { updateTask } from '../../store/tasks.ts'
import { deleteTimers, takeTimer } from '../../store/timers.ts'
import { aboutSession, type Core, errandId, leaveErrand, type Tx, transact } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { nodeFollows } from '../nodes/index.ts'
import { waitOf } from './end.ts'

/**
 * Gives a wanted session to this process. A task that begins or goes on takes a slot in the same transaction; where none
 * is free it stays wanted, in line, and nobody holds it. The claim counts as an attempt up to the number that is given.
 */
export async function claim(
  core: Core,
  id: SessionId,
  { leaseMs, countsTo }: { leaseMs: number; countsTo: number },
): Promise<SessionRow | undefined> {
  if (await isHeldWithAll(core, id)) return undefined
  return transact(core, 'session.claim', async (tx) => {
    const session = await claimSession(tx.db, id, { owner: core.host, now: core.store.time(), leaseMs, countsTo })
    if (session === undefined || (await mayGoOn(core, tx, session))) return session
    await unclaimSession(tx.db, session)
    return undefined
  })
}

/** While everything is paused, nothing is begun or gone on with; what is to be stopped is. */
async function isHeldWithAll({ store }: Core, id: SessionId): Promise<boolean> {
  if ((await findPresence(store.read)).paused_since === null) return false
  const signal = (await findSession(store.read, id))?.signal
  return signal !== 'cancel' && signal !== 'close'
}

async function mayGoOn(core: Core, tx: Tx, session: SessionRow): Promise<boolean> {
  if (session.signal === 'cancel' || session.signal === 'close') return true
  // Whoever began while its run paused is paused too. Who was told to pause does it itself.
  const run = session.signal === 'pause' ? undefined : await openRunOf(tx.db, session)
  if (run?.status === 'paused') {
    await leaveErrand(tx, { kind: 'steer', ref: run.id, sessionId: session.id })
    return false
  }
  if (session.task_id === null) return true
  // Read before others have to wait for this claim: that costs as much as the claim.
  const slots = await slotsIn(core)
  const task = await findForSlot(tx.db, session.task_id)
  // A session that was claimed before and has not come to rest since was cut short by a crash.
  if (task?.status === 'processing' && session.attempts > 1)
    await updateTask(tx.db, task.id, { attempts: task.attempts + 1, updated_at: tx.now })
  if (task?.status !== 'pending' && task?.status !== 'waiting') return true
  if (!(await takeSlot(tx.db, core.host, task, { slots, now: tx.now }))) return false
  if (task.status === 'waiting') await deleteTimers(tx.db, [errandId(waitOf(task))])
  tx.record('task.started', aboutSession(session), { taskId: task.id })
  await nodeFollows(tx, task, { status: 'processing' })
  return true
}

/** Wakes as many sessions in line as there are free slots. Like every wake this is a hint; the claim decides. */
export async function offerSlots(core: Core, timer?: TimerRow): Promise<void> {
  if (timer !== undefined && !(await transact(core, 'task.slot', (tx) => takeTimer(tx.db, timer)))) return
  const free = (await slotsIn(core)) - (await countSlotsTaken(core.store.read, core.host))
  for (const id of free > 0 ? await firstInLine(core.store.read, core.host, free) : []) core.wake(id)
}

const slotsIn = async (core: Core): Promise<number> =>
  (await effectiveSettings(core, core.project)).settings.limits.maxConcurrentTasks
