import { countBefore, countSlotsTaken } from '../../store/slots.ts'
import type { SessionRow, TaskRow } from '../../store/tables.ts'
import { person, wakes } from '../waits/index.ts'
import type { Look, Reason } from './reason.ts'

/** A task above the limit waits for a slot, to begin or to go on. Nobody has to act. */
export async function slotWait(
  look: Look,
  session: SessionRow,
  task: TaskRow | undefined,
): Promise<Pick<Reason, 'since' | 'says' | 'waitsOn' | 'wakes' | 'unblock'> | undefined> {
  if (session.wanted_at === null || (task?.status !== 'pending' && task?.status !== 'waiting')) return undefined
  const limit = look.limits.maxConcurrentTasks
  const running = await countSlotsTaken(look.db, look.core.host)
  const before = await countBefore(look.db, look.core.host, task)
  if (running + before < limit) return undefined
  const label = `${running} of ${limit} tasks run at once`
  return {
    since: session.wanted_at,
    says: `${task.status === 'pending' ? 'has not begun' : 'waits for a free slot'}: ${label}, ${before} come before it`,
    waitsOn: [{ kind: 'slot', ref: 'limits.maxConcurrentTasks', label }],
    wakes: wakes('task', 'another task that ends or waits'),
    unblock: [
      person('allow more at once', `troupe config set limits.maxConcurrentTasks ${limit * 2}`),
      person('call it off', `troupe tasks cancel ${task.id}`),
    ],
  }
}
