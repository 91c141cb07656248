import type { TimerRow } from '../../store/tables.ts'
import { countTasks, findTask, pendingTasks, updateTask } from '../../store/tasks.ts'
import { takeTimer } from '../../store/timers.ts'
import type { Core } from '../core.ts'
import { effectiveSettings } from '../settings.ts'
import { aboutSession, onSession, transact } from '../transaction.ts'

/** As many as there are free slots, the oldest first. */
export async function startPending(core: Core, timer?: TimerRow): Promise<void> {
  if (timer !== undefined && !(await transact(core, 'task.slot', (tx) => takeTimer(tx.db, timer)))) return
  const db = core.store.read
  if ((await countTasks(db, 'pending')) === 0) return
  const { settings } = await effectiveSettings(core, core.project)
  const free = settings.limits.maxConcurrentTasks - (await countTasks(db, 'processing'))
  for (const { id, session_id } of free > 0 ? await pendingTasks(db, free) : []) {
    await onSession(core, session_id, 'task.start', async (tx, session) => {
      const task = await findTask(tx.db, id)
      if (task?.status !== 'pending' || session.deleted_at !== null || session.status === 'paused') return
      await updateTask(tx.db, id, { status: 'processing', started_at: tx.now, updated_at: tx.now })
      tx.record('task.started', aboutSession(session), { taskId: id })
      session.wanted_at ??= tx.now
      tx.after(() => core.wake(session.id))
    })
  }
}
