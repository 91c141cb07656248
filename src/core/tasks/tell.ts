import { quote } from '../../lib/shell/quote.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { SessionRow, SessionTimer, TaskRow } from '../../store/tables.ts'
import { findSubscription, findTask, updateSubscription } from '../../store/tasks.ts'
import { takeTimer } from '../../store/timers.ts'
import { type Core, onSession, type Tx } from '../base/index.ts'
import { notify } from '../inbox/index.ts'
import { post } from '../mail/index.ts'
import { isOver } from '../sessions/index.ts'
import { type Charge, charge, collect } from '../spending/index.ts'
import { tellCall } from '../waits/index.ts'
import { endsAlone, taskEnds } from './end.ts'

/** A task ended: its subscriber learns it once, by the call that waits or by mail. */
export async function tellTask(core: Core, timer: SessionTimer): Promise<void> {
  await onSession(core, timer.session_id, 'task.tell', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const errand = { kind: 'task', ref: timer.ref, sessionId: session.id } as const
    const subscription = await findSubscription(tx.db, timer.ref, session.id)
    const task = await findTask(tx.db, timer.ref)
    if (subscription?.state === 'silent' && task !== undefined) {
      await updateSubscription(tx.db, subscription, { call_id: null, state: 'told' })
      await charge(tx, session, undefined, await collect(tx, subscription, task))
      return tickEnds(tx, session)
    }
    if (subscription?.state !== 'open' || task === undefined) return
    const { call_id } = subscription
    if (call_id !== null && (await tellCall(core, tx, session, call_id, `${task.id} ${task.status}`, errand))) return
    const owed = await collect(tx, subscription, task)
    const told = await tellByMail(core, tx, session, task, owed)
    await updateSubscription(tx.db, subscription, { call_id: null, state: told ? 'told' : 'failed' })
    if (!told) await charge(tx, session, undefined, owed)
  })
}

/** A tick is not told how what it began has ended, but it lasts until then. */
async function tickEnds(tx: Tx, session: SessionRow): Promise<void> {
  if (session.mode !== 'daemon' || session.status !== 'idle' || session.wanted_at !== null) return
  if (session.task_id === null) await endsAlone(tx, session, 'done')
  else await taskEnds(tx, session, 'done', 'All that it began has ended.')
}

/** The key under which a session is told of a task, by one mail only; a task that was tried again has another end. */
export const noticeKey = ({ id, retries }: TaskRow, sessionId: string): string =>
  `told:${id}:${sessionId}${retries === 0 ? '' : `:${retries}`}`

async function tellByMail(core: Core, tx: Tx, session: SessionRow, task: TaskRow, owed: Charge): Promise<boolean> {
  const child = (await findSession(tx.db, task.session_id))!
  const text = noticeOf(task, await handleOf(tx.db, child.project_id, child.id))
  const gave = task.owner_session_id === session.id
  if (session.deleted_at !== null || isOver(session)) {
    await notify(tx, session, {
      title: `${task.agent} ${task.status}, and whoever ${gave ? 'gave it the task' : 'wanted to know'} is gone`,
      body: text,
    })
    return false
  }
  await post(core, tx, session, {
    to: session.id,
    from: { kind: 'system' },
    content: text,
    clientId: noticeKey(task, session.id),
    chain: { id: task.chain_id, hops: task.hops + 1 },
    spent: owed,
  })
  tx.after(() => core.wake(session.id))
  return true
}

/** The system says how the task ended; the reason and the child's words are quoted. */
function noticeOf({ id, agent, status, error, output }: TaskRow, handle: string): string {
  return [
    `${id} (${agent} ${handle}) ${status}.`,
    ...(error ? [`Why:\n${quote(error)}`] : []),
    ...(output ? [`What ${agent} ${handle} said:\n${quote(output)}`] : []),
  ].join('\n')
}
