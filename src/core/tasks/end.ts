import type { SessionId } from '../../contract/ids.ts'
import type { TurnEnd } from '../../contract/sessions.ts'
import { isQuiet } from '../../contract/triggers.ts'
import { shorten } from '../../lib/shorten.ts'
import { spentOf } from '../../store/cost.ts'
import { hasWaitingMail } from '../../store/mail.ts'
import type { NewMessage } from '../../store/messages.ts'
import { childSessions } from '../../store/sessions.ts'
import type { SessionRow, TaskRow } from '../../store/tables.ts'
import {
  findTask,
  findTaskWithTies,
  hasEnded,
  openTasksOf,
  spentSince,
  subscriptionsOf,
  type TaskTies,
  updateSubscription,
  updateTask,
} from '../../store/tasks.ts'
import { deleteTimers } from '../../store/timers.ts'
import { aboutSession, type Core, errandId, leaveErrand, onSession, type Tx } from '../base/index.ts'
import { notify } from '../inbox/index.ts'
import { dropMail } from '../mail/index.ts'
import { hasOpenChildren, isPublished, nodeFollows } from '../nodes/index.ts'
import { close, isForOnce, lastWords, tellHooks } from '../sessions/index.ts'
import { failAllAsks } from '../waits/index.ts'
import { outputOf, SUMMARY_CHARS } from './output.ts'

/** A task follows its session: every change is written in the transaction that moves the session. */

/** A task that waits gives its slot back. The wait is bounded, unless it is a person who holds it up. */
export async function taskWaits(
  tx: Tx,
  session: SessionRow,
  reason: string,
  { person }: { person: boolean },
): Promise<void> {
  const task = await openTask(tx, session)
  if (task?.status !== 'processing') return
  await updateTask(tx.db, task.id, { status: 'waiting', updated_at: tx.now })
  tx.record('task.waiting', aboutSession(session), { taskId: task.id, reason })
  await nodeFollows(tx, task, { status: 'waiting', reason })
  if (!person) await leaveErrand(tx, { ...waitOf(task), at: tx.now + task.max_wait_ms })
  await offerSlot(tx, session)
}

/** The errand that ends a wait which lasts too long. */
export const waitOf = ({ id, session_id }: TaskRow) => ({ kind: 'wait', ref: id, sessionId: session_id }) as const

/** A result that is too long to hand back gets one more round, in which the agent sums it up. */
export async function wantsSummary(tx: Tx, session: SessionRow, turnId: string): Promise<NewMessage[]> {
  const task = await openTask(tx, session)
  if (task?.return_mode !== 'summary' || task.summarizing === 1) return []
  if ((await openTasksOf(tx.db, session.id)).length > 0) return []
  if ((await lastWords(tx.db, session.id)).length <= SUMMARY_CHARS) return []
  await updateTask(tx.db, task.id, { summarizing: 1 })
  const text =
    'Your last message is too long to be handed back as the result. In at most 400 words and without calling tools, write what the giver of this task must know: what you did and found, where it is, what is left open.'
  return [{ role: 'system', from: { kind: 'system' }, turnId, parts: [{ type: 'text', text }] }]
}

/** The turn ended. The task waits if tasks of its own are open; else it ends too, and its subscribers are told. */
export async function taskEnds(tx: Tx, session: SessionRow, end: TurnEnd, reason: string): Promise<void> {
  const task = session.task_id === null ? undefined : await findTaskWithTies(tx.db, session.task_id)
  if (task === undefined || hasEnded(task)) return
  if (end === 'done' && (task.open_tasks > 0 || (await hasOpenChildren(tx, task)))) {
    return taskWaits(tx, session, 'its own tasks are not done', { person: false })
  }
  const done = end === 'done' || (await isPublished(tx, task))
  const status = done ? 'finished' : end === 'canceled' || end === 'closed' ? 'canceled' : 'failed'
  const output = await outputOf(tx.db, session, task)
  const spent = spentSince(session, task)
  await updateTask(tx.db, task.id, {
    status,
    output,
    error: status === 'finished' ? null : reason,
    ...spent,
    finished_at: tx.now,
    updated_at: tx.now,
  })
  if (task.status === 'waiting') await deleteTimers(tx.db, [errandId(waitOf(task))])
  const about = { taskId: task.id, ...spentOf(spent) }
  if (status === 'finished') tx.record('task.finished', aboutSession(session), about)
  else tx.record(`task.${status}`, aboutSession(session), { ...about, reason })
  await nodeFollows(tx, task, { status, reason, output })
  const told = await subscriptionsOf(tx.db, task.id)
  for (const { session_id } of told) await leaveErrand(tx, { kind: 'task', ref: task.id, sessionId: session_id })
  if (status === 'failed' && told.length === 0 && task.node_id === null) await tellFailure(tx, session, task, reason)
  await tellHooks(tx, session, 'taskEnd', task.id)
  await workEnds(tx, session, status, task)
  await offerSlot(tx, session)
}

/** Nobody else is told of it. Tasks that fail one after another are one notice. */
const tellFailure = (tx: Tx, session: SessionRow, task: TaskRow, reason: string): Promise<void> =>
  notify(tx, session, {
    group: 'task.failed',
    title: `A task of ${task.agent} failed: ${shorten(tx.mask(task.instruction).trim().split('\n', 1)[0]!, TITLE)}`,
    body: `${task.id}: ${reason}\nTry it again with "troupe tasks retry ${task.id}"; "troupe tasks show ${task.id}" shows what it did.`,
  })

const TITLE = 80

/** Ends the task of a session that the engine has given up. */
export const endTask = (core: Core, sessionId: SessionId, reason: string): Promise<void> =>
  onSession(core, sessionId, 'task.end', (tx, session) => taskEnds(tx, session, 'error', reason))

/** A session without a task, but of a mode that ends with its work, ends too. A failed one may be told to try again. */
export async function endsAlone(tx: Tx, session: SessionRow, end: TurnEnd): Promise<void> {
  if (session.mode === 'chat' || (await openTasksOf(tx.db, session.id)).length > 0) return
  if (session.status !== 'error' || session.mode === 'daemon') await workEnds(tx, session, end)
}

/** Ties that are not known are looked for. */
async function workEnds(tx: Tx, session: SessionRow, how: string, ties?: TaskTies): Promise<void> {
  if (session.mode === 'daemon') await tickEnds(tx, session)
  if (isForOnce(session)) return retire(tx, session, `The session has ended its work (${how}).`)
  if (session.mode !== 'task' || session.worker !== null) return
  if (ties?.children !== 0) await closeChildren(tx, session)
  if (session.status === 'closed') return
  // Mail that waits begins a turn of its own, but not once the work was called off.
  const mailWaits = ties ? ties.waiting_mail > 0 : await hasWaitingMail(tx.db, session.id)
  if (how === 'canceled' || !mailWaits) close(tx, session)
}

/** A tick that found nothing to do is kept out of view. What it leaves behind is looked at once more. */
async function tickEnds(tx: Tx, session: SessionRow): Promise<void> {
  if (isQuiet(await lastWords(tx.db, session.id))) {
    session.hidden = 1
    tx.record('session.updated', aboutSession(session), { changed: { hidden: true } })
  }
  await leaveErrand(tx, { kind: 'tick', ref: session.id, sessionId: session.id })
}

/** The session's children end with it, unless they were promoted; nobody writes to it any more. */
async function retire(tx: Tx, session: SessionRow, reason: string): Promise<void> {
  close(tx, session)
  await closeChildren(tx, session)
  await failAllAsks(tx, session, reason)
  await dropMail(tx, session, reason)
}

export async function closeChildren(tx: Tx, session: SessionRow): Promise<void> {
  for (const child of await childSessions(tx.db, session.id)) {
    if (child.status === 'closed') continue
    await leaveErrand(tx, { kind: 'close', ref: session.id, sessionId: child.id })
    await endsUntold(tx, child)
  }
}

/** Whoever ends the session, or is ended with it, need not be told how its task ended, which would wake its parent. */
export async function endsUntold(tx: Tx, session: SessionRow): Promise<void> {
  const task = await openTask(tx, session)
  if (task === undefined || session.parent_session_id === null) return
  const told = { task_id: task.id, session_id: session.parent_session_id }
  await updateSubscription(tx.db, told, { state: 'silent' })
}

/** Leaves the errand even when no task is pending: one that is being made at this moment is not seen here. */
const offerSlot = (tx: Tx, session: SessionRow): Promise<void> =>
  leaveErrand(tx, { kind: 'start', ref: 'tasks', sessionId: session.id })

async function openTask(tx: Tx, session: SessionRow): Promise<TaskRow | undefined> {
  const task = session.task_id === null ? undefined : await findTask(tx.db, session.task_id)
  return task === undefined || hasEnded(task) ? undefined : task
}
