import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { waitsForAnswers } from '../../store/asks.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'
import { waitsForTasks } from '../../store/tasks.ts'

/**
 * A question or a wait for a task that leads back to the waiter would never end. The question itself ends what its target
 * waits for of tasks, so from the target of a question only questions lead on.
 */
export async function refuseCycle(
  db: Db,
  waiter: SessionRow,
  target: SessionId,
  by: 'question' | 'task',
): Promise<void> {
  const cameFrom = new Map<SessionId, SessionId>()
  const seen = new Set([target])
  for (let front: SessionId[] = [target]; front.length > 0; ) {
    const answers = await waitsForAnswers(db, front)
    const tasks = by === 'question' && front[0] === target ? [] : await waitsForTasks(db, front)
    front = []
    for (const { from, to } of [...answers, ...tasks]) {
      if (seen.has(to)) continue
      seen.add(to)
      cameFrom.set(to, from)
      front.push(to)
    }
    if (seen.has(waiter.id)) throw await cycle(db, waiter, target, cameFrom, by)
  }
}

async function cycle(
  db: Db,
  waiter: SessionRow,
  target: SessionId,
  cameFrom: ReadonlyMap<SessionId, SessionId>,
  by: 'question' | 'task',
): Promise<AppError> {
  const ids: SessionId[] = []
  for (let at: SessionId | undefined = waiter.id; at !== undefined && at !== target; at = cameFrom.get(at)) ids.push(at)
  const path = [waiter.id, target, ...ids.toReversed()]
  const names = await Promise.all(
    path.map(async (id) => `${(await findSession(db, id))?.agent} ${await handleOf(db, waiter.project_id, id)}`),
  )
  return new AppError('ask.cycle', `Nobody would ever answer: each waits for the next (${names.join(' → ')}).`, {
    hint:
      by === 'question'
        ? 'Answer what you were asked first, or tell it with agent_send, which does not wait.'
        : 'Answer what you were asked first; a message will tell how the task ends.',
  })
}
