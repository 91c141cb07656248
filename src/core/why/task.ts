import { AppError } from '../../contract/errors.ts'
import type { TaskId } from '../../contract/ids.ts'
import type { TaskRow } from '../../store/tables.ts'
import { findTask, hasEnded } from '../../store/tasks.ts'
import { line, type Named, nameOf, person, wakes } from '../waits/index.ts'
import { ownerOf } from './owner.ts'
import { slotWait } from './pending.ts'
import type { Look, Reason } from './reason.ts'
import { sessionReason } from './session.ts'

/** How far a task is: while it runs, what its session does or waits for. */
export async function taskReason(look: Look, id: TaskId): Promise<Reason> {
  const task = await findTask(look.db, id)
  if (task === undefined) throw new AppError('task.not_found', `There is no task "${id}".`)
  const session = await ownerOf(look, task.session_id)
  const name = await nameOf(look, session)
  const base = { ref: id, state: task.status, who: `The task of ${name.who}` }
  const notes = [`It is to do: ${line(look, task.instruction)}`]
  const slot = session.status === 'paused' ? undefined : await slotWait(look, session, task)
  if (slot !== undefined) return { ...base, ...slot, notes }
  if (hasEnded(task)) return { ...base, ...ended(look, task, name, notes) }
  const inner = await sessionReason(look, session)
  return {
    ...inner,
    ...base,
    says: `is ${task.status}: ${inner.who} ${inner.says}`,
    notes: [...notes, ...(inner.notes ?? [])],
    unblock: [...inner.unblock, person('call the task off', `troupe tasks cancel ${id}`)],
  }
}

function ended(
  look: Look,
  task: TaskRow,
  name: Named,
  notes: readonly string[],
): Omit<Reason, 'ref' | 'state' | 'who'> {
  const words = task.error ?? task.output
  const outcome = words === null ? [] : [`${task.error === null ? 'Outcome' : 'Error'}: ${line(look, words, 500)}`]
  return {
    since: task.finished_at ?? task.updated_at,
    says: `is ${task.status}`,
    notes: [...notes, ...outcome],
    waitsOn: [],
    wakes: wakes('nothing', 'nothing: it has ended'),
    unblock: [
      person('read what it did', `troupe sessions messages ${name.ref}`),
      ...(task.status === 'finished' ? [] : [person('try it again', `troupe tasks retry ${task.id}`)]),
    ],
  }
}
