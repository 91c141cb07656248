import { AppError } from '../../contract/errors.ts'
import type { SessionId, TaskId } from '../../contract/ids.ts'
import { findMailByClient, updateMail } from '../../store/mail.ts'
import { lockProject } from '../../store/projects.ts'
import { handleOf } from '../../store/sessions.ts'
import type { MailRow, SessionRow, TaskRow } from '../../store/tables.ts'
import {
  countSubscriptions,
  findSubscription,
  findTask,
  hasEnded,
  lockTask,
  putSubscription,
  type TaskOutcome,
  toOutcome,
  updateSubscription,
} from '../../store/tasks.ts'
import { aboutSession, type Core, onSession, type Tx } from '../base/index.ts'
import { refuseCycle } from '../waits/index.ts'
import { restOfOutput } from './output.ts'
import { seenTask, steeredTask } from './seen.ts'
import { subscribe } from './subscribe.ts'
import { noticeKey } from './tell.ts'

/** The state of a task that this session gave or works on. */
export async function taskStatus(
  core: Core,
  sessionId: SessionId,
  id: TaskId,
  offset = 0,
): Promise<TaskOutcome | { note: string }> {
  const task = await seenTask(core.store.read, sessionId, id)
  if (task.top_level === 1) return fireAndForget(core, task)
  const outcome = await toOutcome(core.store.read, task, core.clock.now())
  if (offset === 0 || outcome.output === undefined) return outcome
  return { ...outcome, output: await restOfOutput(core.store.read, task, offset) }
}

/** Subscribes the call to the end of these tasks. When it parks, it learns at once of those that have ended. */
export async function awaitTasks(
  core: Core,
  sessionId: SessionId,
  callId: string,
  ids: readonly TaskId[],
  need: 'all' | 'any',
): Promise<void> {
  for (const id of ids) {
    const task = await steeredTask(core.store.read, sessionId, id)
    if (task.top_level === 1) throw new AppError('task.not_found', (await fireAndForget(core, task)).note)
  }
  await onSession(core, sessionId, 'task.await', async (tx, session) => {
    await lockProject(tx.db, session.project_id)
    const tasks = (await Promise.all(ids.map((id) => findTask(tx.db, id)))).filter((task) => task !== undefined)
    const open = tasks.filter((task) => !hasEnded(task)).map(({ session_id }) => session_id)
    if (need === 'all') for (const one of open) await refuseCycle(tx.db, session, [one], 'task')
    else if (open.length === tasks.length) await refuseCycle(tx.db, session, open, 'task')
    for (const id of new Set(ids)) {
      const key = { task_id: id, session_id: sessionId }
      const fresh = {
        any_of: need === 'any' ? 1 : 0,
        state: 'open' as const,
        charged_usd: 0,
        charged_tokens: 0,
        created_at: tx.now,
      }
      await putSubscription(tx.db, { ...key, call_id: callId, ...fresh })
      const notice = await withdrawNotice(tx, session, tasks.find((task) => task.id === id)!)
      if (notice === undefined) continue
      // The notice would have charged for the task; now the call does.
      const { charged_usd, charged_tokens } = (await findSubscription(tx.db, id, sessionId))!
      await updateSubscription(tx.db, key, {
        state: 'open',
        charged_usd: charged_usd - notice.cost_usd,
        charged_tokens: charged_tokens - notice.unpriced_tokens,
      })
    }
  })
}

/** Takes back the notice if it is unread: it would tell the session a second time. */
async function withdrawNotice(tx: Tx, session: SessionRow, task: TaskRow): Promise<MailRow | undefined> {
  const mail = await findMailByClient(tx.db, session.project_id, noticeKey(task, session.id))
  if (mail?.state !== 'queued') return undefined
  // If the wait ends early, the notice is written anew, so its key is freed.
  await updateMail(tx.db, [mail.id], { state: 'answered', client_id: null })
  tx.record('mail.answered', aboutSession(session), { mailId: mail.id })
  return mail
}

/** How many sessions may want to know how one task ends. */
const SUBSCRIBERS = 100

/** The session wants to know how a task ends. If it has ended already, this is the answer. */
export async function followTask(
  core: Core,
  sessionId: SessionId,
  id: TaskId,
): Promise<TaskOutcome | { note: string }> {
  const seen = await steeredTask(core.store.read, sessionId, id)
  if (seen.top_level === 1) return fireAndForget(core, seen)
  return onSession(core, sessionId, 'task.subscribe', async (tx, session) => {
    if (session.mode === 'daemon') {
      throw new AppError('session.state', 'A tick is over before the task ends, so it cannot be told.', {
        hint: 'Look with task_list at the next tick.',
      })
    }
    const task = (await lockTask(tx.db, id))!
    const outcome = await toOutcome(tx.db, task, tx.now)
    if (hasEnded(task)) return outcome
    if ((await countSubscriptions(tx.db, id)) >= SUBSCRIBERS) {
      throw new AppError('task.state', `${SUBSCRIBERS} sessions want to know how ${id} ends already.`, {
        hint: 'Look with task_status, or let one of them tell you.',
      })
    }
    await subscribe(tx, task, { session }, 'mail')
    return { ...outcome, note: 'A message will tell you how it ends.' }
  })
}

const fireAndForget = async (core: Core, task: TaskRow): Promise<{ note: string }> => {
  const handle = await handleOf(core.store.read, task.project_id, task.session_id)
  return {
    note: `${task.id} is an independent session (fire and forget): nobody is told how it ends. Its session is ${handle}.`,
  }
}
