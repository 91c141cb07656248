import { AppError } from '../../contract/errors.ts'
import type { SessionId, TaskId } from '../../contract/ids.ts'
import { findMailByClient, updateMail } from '../../store/mail.ts'
import { lockProject } from '../../store/projects.ts'
import { handleOf } from '../../store/sessions.ts'
import type { MailRow, SessionRow, TaskRow } from '../../store/tables.ts'
import {
  findSubscription,
  findTask,
  hasEnded,
  putSubscription,
  type TaskOutcome,
  toOutcome,
  updateSubscription,
} from '../../store/tasks.ts'
import { aboutSession, type Core, onSession, type Tx } from '../base/index.ts'
import { refuseCycle } from '../waits/index.ts'
import { restOfOutput } from './output.ts'
import { noticeKey } from './tell.ts'

/** The state of a task that this session gave. */
export async function taskStatus(
  core: Core,
  sessionId: SessionId,
  id: TaskId,
  offset = 0,
): Promise<TaskOutcome | { note: string }> {
  const task = await ownTask(core, sessionId, id)
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
    const task = await ownTask(core, sessionId, id)
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
      const notice = await withdrawNotice(tx, session, id)
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
async function withdrawNotice(tx: Tx, session: SessionRow, id: TaskId): Promise<MailRow | undefined> {
  const mail = await findMailByClient(tx.db, session.project_id, noticeKey(id, session.id))
  if (mail?.state !== 'queued') return undefined
  // If the wait ends early, the notice is written anew, so its key is freed.
  await updateMail(tx.db, [mail.id], { state: 'answered', client_id: null })
  tx.record('mail.answered', aboutSession(session), { mailId: mail.id })
  return mail
}

async function ownTask(core: Core, sessionId: SessionId, id: TaskId): Promise<TaskRow> {
  const task = await findTask(core.store.read, id)
  if (task?.owner_session_id === sessionId) return task
  throw new AppError('task.not_found', `You gave no task "${id.slice(0, 80)}".`, {
    hint: 'Use the taskId that agent_spawn returned.',
  })
}

const fireAndForget = async (core: Core, task: TaskRow): Promise<{ note: string }> => {
  const handle = await handleOf(core.store.read, task.project_id, task.session_id)
  return {
    note: `${task.id} is an independent session (fire and forget): nobody is told how it ends. Its session is ${handle}.`,
  }
}
