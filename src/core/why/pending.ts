import type { TaskRow } from '../../store/tables.ts'
import { countTasks, pendingTasks } from '../../store/tasks.ts'
import { type Look, type Named, person, type Reason, wakes } from './reason.ts'

const LOOKED_AT = 1000

/** A task above the limit waits its turn; it is nobody's fault and needs nobody. */
export async function pendingWait(
  look: Look,
  task: TaskRow,
  name: Named,
): Promise<Pick<Reason, 'since' | 'says' | 'waitsOn' | 'wakes' | 'unblock'>> {
  const limit = look.limits.maxConcurrentTasks
  const running = await countTasks(look.db, 'processing')
  const before = (await pendingTasks(look.db, LOOKED_AT)).findIndex(({ id }) => id === task.id)
  return {
    since: task.created_at,
    says: `has not begun: ${running} of ${limit} tasks run at once, ${Math.max(0, before)} come before it`,
    waitsOn: [{ kind: 'slot', ref: 'limits.maxConcurrentTasks', label: `${running} of ${limit} tasks run at once` }],
    wakes: wakes('task', 'the end of another task'),
    unblock: [
      person('allow more at once', `troupe config set limits.maxConcurrentTasks ${limit * 2}`),
      person('call it off', `troupe sessions cancel ${name.ref}`),
    ],
  }
}
