import type { WhyThing } from '../../contract/why.ts'
import { waitsForOf } from '../../store/calls.ts'
import { handleOf } from '../../store/sessions.ts'
import type { CallRow, Db, TaskRow } from '../../store/tables.ts'
import { findTask, hasEnded, subscriptionsOfCall, toOutcome, updateSubscription } from '../../store/tasks.ts'
import { tasksOfCall } from '../../store/why.ts'
import { leaveErrand, type Park, type ToolOutput, type Tx } from '../base/index.ts'
import { collect } from '../spending/index.ts'
import type { Wait } from './wait.ts'
import { atLatest, endEarly, line, listed, NAMED, nameOfId, type Sight, wakes } from './words.ts'

/** Tasks that the call subscribed to. */
interface Followed {
  readonly taskIds: readonly string[]
  readonly need: 'all' | 'any'
  readonly until: number
  readonly longest: boolean
}

export const parkForTasks = (followed: Followed): Park => ({ park: 'tasks', ...followed })

/** The one task that the call itself made. */
export const parkForSpawned = (taskId: string, until: number): Park => {
  const followed: Followed = { taskIds: [taskId], need: 'all', until, longest: true }
  return { park: 'spawn', ...followed }
}

/** Waits for tasks that the session gave: the one that this call made, or those that the call names. */
export const tasks: Wait = {
  stopsClock: true,
  endedBy: 'anyone',
  async look(tx, call) {
    const all = await tasksOf(tx.db, call)
    const ended = all.filter(hasEnded)
    const enough = needOf(call) === 'any' ? ended.length > 0 : ended.length === all.length
    return enough ? resultOfTasks(tx, call, all) : undefined
  },
  atLimit: async (tx, call) => resultOfTasks(tx, call, await tasksOf(tx.db, call)),
  endedEarly: async (db, call, { said, canceled }) => ({
    output: canceled ? said : `${said}${await stillOpen(db, call)}`,
    error: true,
  }),
  async detach(tx, _session, call, how) {
    for (const subscription of await subscriptionsOfCall(tx.db, call.id)) {
      const task = (await findTask(tx.db, subscription.task_id))!
      const canceled = how === 'canceled' && isMadeBy(call, task)
      await updateSubscription(tx.db, subscription, { call_id: null, ...(canceled ? { state: 'silent' } : {}) })
      if (canceled) await leaveErrand(tx, { kind: 'cancel', ref: task.id, sessionId: task.session_id })
      else if (hasEnded(task) && subscription.state === 'open')
        await leaveErrand(tx, { kind: 'task', ref: task.id, sessionId: subscription.session_id })
    }
  },
  behind: async (db, call) => (await openOf(db, call)).map(({ session_id }) => session_id),
  async why(sight, call, { owner, until }) {
    const all = await tasksOfCall(sight.db, call.id)
    const [first] = all
    const open = all.filter((task) => !hasEnded(task))
    const names = await Promise.all(all.map(({ session_id }) => nameOfId(sight, session_id)))
    const waited = open.map((task) => names[all.indexOf(task)]!.who)
    return {
      says: waited.length === 0 ? 'for tasks that have ended' : `for ${listed(waited)} to finish`,
      since: first && isMadeBy(call, first) ? first.created_at : (call.started_at ?? call.created_at),
      things: all.map((task, at) => taskThing(sight, task, names[at]!.who)),
      wakes: wakes('task', `${endOf(call, waited.length)}${atLatest(until)}`, until),
      unblock: [...waited.map((who) => ({ who, does: 'finishes' })).slice(0, NAMED), endEarly(owner)],
      follows: open.map(({ session_id }) => session_id),
    }
  },
}

export const taskThing = (sight: Sight, task: TaskRow, who: string): WhyThing => ({
  kind: 'task',
  ref: task.id,
  label: `${who}, ${task.status}: ${line(sight, task.instruction)}`,
})

/** The result tells of the tasks that have ended. Mail tells of the others when they end. */
async function resultOfTasks(tx: Tx, call: CallRow, all: readonly TaskRow[]): Promise<ToolOutput> {
  const spent = { costUsd: 0, unpricedTokens: 0 }
  for (const subscription of await subscriptionsOfCall(tx.db, call.id)) {
    const task = all.find(({ id }) => id === subscription.task_id)!
    const told = hasEnded(task)
    const owed = told ? await collect(tx, subscription, task) : undefined
    spent.costUsd += owed?.costUsd ?? 0
    spent.unpricedTokens += owed?.unpricedTokens ?? 0
    await updateSubscription(tx.db, subscription, { call_id: null, ...(told ? { state: 'told' } : {}) })
  }
  const outcomes = await Promise.all(all.map((task) => toOutcome(tx.db, task, tx.now)))
  const open = all.some((task) => !hasEnded(task))
  const note = open ? { note: `The wait is over.${await stillOpen(tx.db, call)} Do not start it again.` } : {}
  const [first] = all
  if (first === undefined || !isMadeBy(call, first)) return { output: { tasks: outcomes, ...note }, ...spent }
  const failed = !open && first.status !== 'finished'
  return { output: { ...outcomes[0], ...note }, ...spent, ...(failed ? { error: true } : {}) }
}

/** For the result of a wait that ended early: the tasks whose end will come by mail. */
async function stillOpen(db: Db, call: CallRow): Promise<string> {
  const names = await Promise.all(
    (await openOf(db, call)).map(
      async ({ id, agent, project_id, session_id }) => `${id} (${agent} ${await handleOf(db, project_id, session_id)})`,
    ),
  )
  return names.length > 0 ? ` Still at work: ${names.join(', ')}; a message will tell how it ends.` : ''
}

function endOf(call: CallRow, open: number): string {
  return open === 1 ? 'the end of that task' : `the end of ${needOf(call) === 'any' ? 'one' : 'all'} of those tasks`
}

const isMadeBy = (call: CallRow, task: TaskRow): boolean => task.call_id === call.id

const needOf = (call: CallRow): 'all' | 'any' => waitsForOf<Followed>(call).need ?? 'all'

const openOf = async (db: Db, call: CallRow): Promise<TaskRow[]> =>
  (await tasksOf(db, call)).filter((task) => !hasEnded(task))

async function tasksOf(db: Db, call: CallRow): Promise<TaskRow[]> {
  const { taskIds = [] } = waitsForOf<Followed>(call)
  const found = await Promise.all(taskIds.map((id) => findTask(db, id)))
  return found.filter((task) => task !== undefined)
}
