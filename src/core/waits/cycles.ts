import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { waitsForAnswers } from '../../store/asks.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'
import { type WaitEdge, waitsForTasks } from '../../store/tasks.ts'
import { nameWithHandle } from '../sessions/index.ts'

type Kind = 'question' | 'task'

/**
 * A question or a wait for tasks would never end if all that could end it led back to the waiter: the target of a question,
 * a task, or each of the tasks of which one is enough.
 */
export async function refuseCycle(db: Db, waiter: SessionRow, targets: readonly SessionId[], by: Kind): Promise<void> {
  const next = leadingBack(await waitsBehind(db, waiter.id, targets, by), waiter.id)
  if (targets.length > 0 && targets.every((id) => id === waiter.id || next.has(id)))
    throw await cycle(db, waiter, targets[0]!, next, by)
}

/**
 * Everything that is waited for, from the targets on. A question itself ends what its target waits for of tasks, so from
 * there only questions lead on.
 */
async function waitsBehind(db: Db, waiter: SessionId, targets: readonly SessionId[], by: Kind): Promise<WaitEdge[]> {
  const waits: WaitEdge[] = []
  const seen = new Set([waiter, ...targets])
  for (let front = [...targets]; front.length > 0; ) {
    const answers = await waitsForAnswers(db, front)
    const tasks = by === 'question' && front[0] === targets[0] ? [] : await waitsForTasks(db, front)
    waits.push(...answers, ...tasks)
    front = [...answers, ...tasks].flatMap(({ to }) => to).filter((id) => !seen.has(id) && seen.add(id))
  }
  return waits
}

/** Each session that waits, in the end, for the waiter and nothing else, with the next on the way there. */
function leadingBack(waits: readonly WaitEdge[], waiter: SessionId): ReadonlyMap<SessionId, SessionId> {
  const next = new Map<SessionId, SessionId>()
  const leads = (id: SessionId): boolean => id === waiter || next.has(id)
  for (let found = true; found; ) {
    const more = waits.find(({ from, to }) => !leads(from) && to.every(leads))
    if (more !== undefined) next.set(more.from, more.to[0]!)
    found = more !== undefined
  }
  return next
}

async function cycle(
  db: Db,
  waiter: SessionRow,
  target: SessionId,
  next: ReadonlyMap<SessionId, SessionId>,
  by: Kind,
): Promise<AppError> {
  const path = [waiter.id]
  for (let at: SessionId | undefined = target; at !== undefined; at = next.get(at)) path.push(at)
  const names = await Promise.all(path.map(async (id) => nameWithHandle(db, (await findSession(db, id))!)))
  return new AppError('ask.cycle', `Nobody would ever answer: each waits for the next (${names.join(' → ')}).`, {
    hint:
      by === 'question'
        ? 'Answer what you were asked first, or tell it with agent_send, which does not wait.'
        : 'Answer what you were asked first; a message will tell how the task ends.',
  })
}
