import type { Spent } from '../../contract/cost.ts'
import type { SessionId } from '../../contract/ids.ts'
import { settleAsk } from '../../store/asks.ts'
import { openCalls, resolutionOf } from '../../store/calls.ts'
import { spentOf } from '../../store/cost.ts'
import { findMail, findMailByClient } from '../../store/mail.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { CallRow, Db, SessionRow, TaskRow } from '../../store/tables.ts'
import { findTask, openTasksOf, subscriptionsOfCall, updateSubscription } from '../../store/tasks.ts'
import { keyOf, leaveErrand, type ToolOutput, type Tx } from '../base/index.ts'
import { collect } from '../spending/index.ts'
import { answerOf, said, toolOutputOf } from './asks.ts'

/** What a call that waits for others has, once it need wait no longer. */
export async function resultFor(tx: Tx, call: CallRow): Promise<ToolOutput | undefined> {
  if (call.kind === 'ask') return answered(tx.db, call)
  const tasks = await tasksOf(tx.db, call)
  const ended = tasks.filter(hasEnded)
  const enough = needOf(call) === 'any' ? ended.length > 0 : ended.length === tasks.length
  return enough ? tasksOutput(tx, call, tasks) : undefined
}

/** The same when its time is up: what is not known then comes by mail. */
export async function resultAtTimeout(tx: Tx, call: CallRow): Promise<ToolOutput> {
  if (call.kind !== 'ask') return tasksOutput(tx, call, await tasksOf(tx.db, call))
  const known = await answered(tx.db, call)
  if (known !== undefined) return known
  await settleAsk(tx.db, call.ref!, ['open'], { ask_state: 'late' })
  const ask = (await findMail(tx.db, call.ref!))!
  const late = said(tx, ask, 'timeout', 'No answer in time; if one comes later it arrives as a message.')
  return toolOutputOf(await answerOf(tx.db, ask, wasCreated(call), late))
}

/** It waits no longer. What it waited for goes on and comes by mail, unless all of it was canceled. */
export async function detach(
  tx: Tx,
  session: SessionRow,
  call: CallRow,
  how: 'interrupted' | 'canceled',
): Promise<void> {
  if (call.name === 'agent_message') {
    // One that was stopped before it parked has asked already.
    const ask = call.ref ?? (await findMailByClient(tx.db, session.project_id, keyOf(call.id)))?.id
    if (ask) await settleAsk(tx.db, ask, ['open'], { ask_state: how === 'canceled' ? 'closed' : 'late' })
    return
  }
  for (const subscription of await subscriptionsOfCall(tx.db, call.id)) {
    const task = (await findTask(tx.db, subscription.task_id))!
    const canceled = how === 'canceled' && call.name === 'agent_spawn'
    await updateSubscription(tx.db, subscription, { call_id: null, ...(canceled ? { state: 'silent' } : {}) })
    if (canceled) await leaveErrand(tx, { kind: 'cancel', ref: task.id, sessionId: task.session_id })
    else if (hasEnded(task) && subscription.state === 'open')
      await leaveErrand(tx, { kind: 'task', ref: task.id, sessionId: subscription.session_id })
  }
}

/** What it goes on to be told by mail, for the result of a wait that ended early. */
export async function stillOpen(db: Db, call: CallRow): Promise<string> {
  const tasks = (await tasksOf(db, call)).filter((task) => !hasEnded(task))
  const names = await Promise.all(
    tasks.map(async (task) => `${task.id} (${task.agent} ${await handleOf(db, task.project_id, task.session_id)})`),
  )
  return names.length > 0 ? ` Still at work: ${names.join(', ')}; how it ends comes as a message.` : ''
}

/** Whose work a parked call waits for. */
export async function sessionsBehind(db: Db, call: CallRow): Promise<SessionId[]> {
  if (call.kind === 'ask') return [(await findMail(db, call.ref!))?.session_id].filter((id) => id !== undefined)
  const waits = call.kind === 'spawn' || call.kind === 'tasks'
  return waits ? (await tasksOf(db, call)).filter((task) => !hasEnded(task)).map((task) => task.session_id) : []
}

/** A wait that goes further than this is not a person's doing. */
const FAR = 200

/** Whether a person holds up someone this session waits for, however far behind: by a question, an approval or a pause. */
export async function needsPerson(db: Db, { id }: Pick<SessionRow, 'id'>): Promise<boolean> {
  const behind = new Set<SessionId>([id])
  for (const next of behind) {
    const parked = (await openCalls(db, next)).filter(({ state }) => state === 'parked')
    if (parked.some(({ kind }) => kind === 'question' || kind === 'approval')) return true
    if ((await findSession(db, next))?.status === 'paused') return true
    for (const call of parked) for (const other of await sessionsBehind(db, call)) behind.add(other)
    for (const { session_id } of await openTasksOf(db, next)) behind.add(session_id)
    if (behind.size > FAR) return false
  }
  return false
}

export const hasEnded = ({ status }: Pick<TaskRow, 'status'>): boolean =>
  ['finished', 'failed', 'canceled'].includes(status)

export interface TaskOutcome extends Spent {
  readonly taskId: string
  readonly agent: string
  readonly session: string
  readonly status: string
  readonly output?: string
  readonly error?: string
  readonly durationMs: number
}

/** As agents see it. */
export async function outcomeOf(db: Db, task: TaskRow, now: number): Promise<TaskOutcome> {
  return {
    taskId: task.id,
    agent: task.agent,
    session: await handleOf(db, task.project_id, task.session_id),
    status: task.status,
    ...(task.output === null ? {} : { output: task.output }),
    ...(task.error === null ? {} : { error: task.error }),
    durationMs: (task.finished_at ?? now) - (task.started_at ?? now),
    ...spentOf(task),
  }
}

async function tasksOutput(tx: Tx, call: CallRow, tasks: readonly TaskRow[]): Promise<ToolOutput> {
  const spent = { costUsd: 0, unpricedTokens: 0 }
  for (const subscription of await subscriptionsOfCall(tx.db, call.id)) {
    const task = tasks.find(({ id }) => id === subscription.task_id)!
    const told = hasEnded(task)
    const owed = told ? await collect(tx, subscription, task) : undefined
    spent.costUsd += owed?.costUsd ?? 0
    spent.unpricedTokens += owed?.unpricedTokens ?? 0
    await updateSubscription(tx.db, subscription, { call_id: null, ...(told ? { state: 'told' } : {}) })
  }
  const outcomes = await Promise.all(tasks.map((task) => outcomeOf(tx.db, task, tx.now)))
  const [only] = outcomes
  const spawned = call.kind === 'spawn'
  const open = tasks.some((task) => !hasEnded(task))
  const note = open ? { note: `The wait is over.${await stillOpen(tx.db, call)} Do not start it again.` } : {}
  const failed = spawned && !open && only?.status !== 'finished'
  const output = spawned ? { ...only, ...note } : { tasks: outcomes, ...note }
  return { output, ...spent, ...(failed ? { error: true } : {}) }
}

async function tasksOf(db: Db, call: CallRow): Promise<TaskRow[]> {
  const found = await Promise.all(kept(call).taskIds.map((id) => findTask(db, id)))
  return found.filter((task) => task !== undefined)
}

async function answered(db: Db, call: CallRow): Promise<ToolOutput | undefined> {
  const ask = await findMail(db, call.ref!)
  if (ask?.ask_state !== 'answered') return undefined
  await settleAsk(db, ask.id, ['answered'], { ask_state: 'closed' })
  return toolOutputOf(await answerOf(db, ask, wasCreated(call)))
}

interface Kept {
  readonly created?: boolean
  readonly taskIds: readonly string[]
  readonly need?: 'all' | 'any'
}

/** While it is parked, what it waits for is kept where its result will be. */
const kept = (call: CallRow): Kept => ({ taskIds: [], ...resolutionOf(call, {}) })

const needOf = (call: CallRow): 'all' | 'any' => kept(call).need ?? 'all'

const wasCreated = (call: CallRow): boolean => kept(call).created ?? false
