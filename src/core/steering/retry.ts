import { AppError } from '../../contract/errors.ts'
import type { TaskId } from '../../contract/ids.ts'
import type { From } from '../../contract/messages.ts'
import type { RetryTask } from '../../contract/tasks.ts'
import { quote } from '../../lib/shell/quote.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow, TaskRow } from '../../store/tables.ts'
import { findSubscription, findTask, updateSubscription, updateTask } from '../../store/tasks.ts'
import { aboutSession, type Core, onSession, type Tx } from '../base/index.ts'
import { newChainId, post } from '../mail/index.ts'
import { nodeFollows } from '../nodes/index.ts'
import { gone, isOver, mustBeIdle, reopen, rest, want } from '../sessions/index.ts'
import { steeredTask } from '../tasks/index.ts'
import { clearHistory } from './lifecycle.ts'

/** A person has a task tried again: in its session and with the error as context, or clean, from its input. */
export async function retryTask(core: Core, id: TaskId, { clean = false, limits = {} }: RetryTask): Promise<void> {
  const { session_id } = await steeredTask(core.store.read, 'human', id)
  await onSession(core, session_id, 'task.retry', async (tx, session) => {
    const task = (await findTask(tx.db, id))!
    if (task.status !== 'failed' && task.status !== 'canceled') throw notOver(task)
    if (session.deleted_at !== null) throw await gone(tx.db, session)
    mustBeIdle(session, 'tried again')
    if (clean) await clearHistory(tx, session)
    reopen(session)
    rest(session, 'idle', null)
    // A person acted: what agents may still write to it begins anew.
    session.wakes_spent = 0
    const again = {
      ...task,
      status: 'pending',
      attempts: task.attempts + 1,
      retries: task.retries + 1,
      chain_id: newChainId(undefined),
      hops: 0,
    } as const
    await updateTask(tx.db, id, {
      status: again.status,
      attempts: again.attempts,
      retries: again.retries,
      chain_id: again.chain_id,
      hops: again.hops,
      output: null,
      error: null,
      summarizing: 0,
      counts_from: tx.now,
      max_iterations: limits.maxIterations ?? task.max_iterations,
      max_duration_ms:
        limits.maxDurationSeconds === undefined ? task.max_duration_ms : limits.maxDurationSeconds * 1000,
      max_cost_usd: limits.maxCostUsd ?? task.max_cost_usd,
      max_wait_ms: limits.maxWaitSeconds === undefined ? task.max_wait_ms : limits.maxWaitSeconds * 1000,
      started_at: null,
      finished_at: null,
      updated_at: tx.now,
    })
    tx.record('task.retried', aboutSession(session), { taskId: id, attempt: again.attempts, clean })
    await nodeFollows(tx, task, { status: 'pending' })
    await tellAgain(tx, task)
    await post(core, tx, session, {
      to: session.id,
      from: clean ? await giverOf(tx, task) : { kind: 'system' },
      content: clean ? task.instruction : goOn(task),
      clientId: `${id}:${again.retries}`,
      chain: { id: again.chain_id, hops: 0 },
    })
    want(tx, session)
    tx.after(() => core.wake(session.id))
  })
  core.histories.forget(session_id)
}

/** The session that gave the task was told of an end that is none; it is told of the next one too. */
async function tellAgain(tx: Tx, { id, owner_session_id }: TaskRow): Promise<void> {
  if (owner_session_id === null) return
  const [told, owner] = [
    await findSubscription(tx.db, id, owner_session_id),
    await findSession(tx.db, owner_session_id),
  ]
  if (told === undefined || owner === undefined || owner.deleted_at !== null || isOver(owner)) return
  await updateSubscription(tx.db, told, { state: owner.mode === 'daemon' ? 'silent' : 'open', call_id: null })
}

async function giverOf(tx: Tx, { from_kind, owner_session_id }: TaskRow): Promise<From> {
  const owner: SessionRow | undefined =
    owner_session_id === null ? undefined : await findSession(tx.db, owner_session_id)
  return { kind: from_kind, ...(owner === undefined ? {} : { agent: owner.agent, sessionId: owner.id }) }
}

const goOn = ({ status, error }: TaskRow): string =>
  [
    `A person has this task tried again. It was ${status}.`,
    ...(error === null ? [] : [`Why:\n${quote(error)}`]),
    'What you did so far stands above. Go on from there, and end with the result.',
  ].join('\n')

const notOver = ({ id, status }: TaskRow): AppError =>
  new AppError('task.state', `${id} is ${status}; only a failed or canceled task is tried again.`, {
    hint: status === 'finished' ? `Write to task:${id} to ask for more.` : `Cancel it first: troupe tasks cancel ${id}`,
  })
