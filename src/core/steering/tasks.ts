import { AppError } from '../../contract/errors.ts'
import type { SessionId, TaskId } from '../../contract/ids.ts'
import { openCalls } from '../../store/calls.ts'
import { settleInbox, wasAnsweredBy } from '../../store/inbox.ts'
import { findSession } from '../../store/sessions.ts'
import type { CallRow, Db } from '../../store/tables.ts'
import { hasEnded } from '../../store/tasks.ts'
import { aboutSession, type Core, onSession } from '../base/index.ts'
import { attend } from '../mail/index.ts'
import { nameWithHandle } from '../sessions/index.ts'
import { steeredTask } from '../tasks/index.ts'
import { asksPerson, personOf, questionIn } from '../waits/index.ts'
import { cancelSession } from './lifecycle.ts'

/** Ends the task and all below it: requests are aborted, commands ended, no further model call is made. */
export async function cancelTask(core: Core, by: SessionId | 'human', id: TaskId): Promise<void> {
  const task = await steeredTask(core.store.read, by, id)
  if (hasEnded(task)) return
  await cancelSession(core, task.session_id, by === 'human' ? 'human' : 'parent')
}

/** Answers the one question with which a task waits. An agent answers in the person's place, and that is said. */
export async function respondTask(
  core: Core,
  by: { readonly sessionId: SessionId; readonly callId: string } | 'human',
  id: TaskId,
  message: string,
): Promise<void> {
  const { session_id } = await steeredTask(core.store.read, by === 'human' ? by : by.sessionId, id)
  const who = by === 'human' ? undefined : await nameOf(core.store.read, by.sessionId)
  const key = by === 'human' ? by : by.callId
  await onSession(core, session_id, 'task.respond', async (tx, session) => {
    if (by !== 'human' && (await wasAnsweredBy(tx.db, session_id, key))) return
    const open = session.status === 'waiting' ? await openCalls(tx.db, session_id) : []
    const question = questionIn(open)
    const inboxId = question?.inbox_id
    if (!question || !inboxId) throw noQuestion(id, open)
    const answered = { answer: { answer: message }, by: key, at: tx.now }
    if (!(await settleInbox(tx.db, inboxId, 'answered', answered))) throw noQuestion(id, [])
    if (by === 'human') await attend(tx, session)
    await personOf(question)!.answer!(core, tx, session, question, message, who)
    tx.record('inbox.answered', aboutSession(session), { inboxId, by: key })
  })
}

async function nameOf(db: Db, id: SessionId): Promise<string> {
  return nameWithHandle(db, (await findSession(db, id))!)
}

function noQuestion(id: TaskId, open: readonly CallRow[]): AppError {
  const asked = open.filter(asksPerson)
  if (asked.length === 0) {
    return new AppError('task.no_question', `${id} has no open question.`, {
      hint: `A message reaches it by the address task:${id}. "troupe why ${id}" says what it does.`,
    })
  }
  return new AppError('task.no_question', `${id} waits for ${asked.length === 1 ? 'an approval' : 'several things'}.`, {
    hint: 'Only a person decides that, one by one: troupe inbox',
  })
}
