import { strandedSessions } from '../../store/slots.ts'
import type { SessionTimer } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { takeTimer } from '../../store/timers.ts'
import { findTurn } from '../../store/turns.ts'
import { asRunner, type Core, type Lease, leaveErrand, onSession } from '../base/index.ts'
import { notify } from '../inbox/index.ts'
import { acquit, appendMessages, beginTurn, calledAs, giveBack, rest } from '../sessions/index.ts'
import { settleRequest } from '../spending/index.ts'
import { endTask, taskEnds, waitOf } from '../tasks/index.ts'
import { needsPerson } from '../waits/index.ts'
import { abandonCalls, writeOutcomes, writeTo } from './call-rows.ts'
import { endTurn } from './end.ts'
import type { Made } from './safe-point.ts'
import { asTurn, type Turn } from './turn.ts'

/** The process drains, or a check is over: what is known is written, the turn stays open, the next runner goes on. */
export async function letGo(turn: Turn, made: Made): Promise<void> {
  await asTurn(turn, 'turn.release', async (tx, session) => {
    await appendMessages(tx, session, await writeOutcomes(turn, tx, session, made.outcomes ?? []))
    // An answer that came while the process stops is thrown away: the next runner asks again. Its cost still counts.
    if (made.used) await settleRequest(tx, session, turn.row, { ...made.used, outcome: 'aborted' })
    if (turn.lease.signal.reason === 'checked') acquit(session)
    else giveBack(session)
  })
  turn.core.histories.forget(turn.lease.sessionId)
}

/** Nothing was done: the session waits for another host. */
export const handBack = (core: Core, lease: Lease): Promise<void> =>
  asRunner(core, lease, 'turn.release', async (_tx, session) => giveBack(session))

/** The loop itself broke (a bug, lost storage): the turn ends in error instead of being tried for ever. */
export async function failTurn(core: Core, lease: Lease): Promise<void> {
  await asRunner(core, lease, 'turn.fail', async (tx, session) => {
    const row = session.turn_id === null ? undefined : await findTurn(tx.db, session.turn_id)
    const reason =
      'Something broke inside troupe; the log in the data folder has the details. Send a message to try again.'
    await abandonCalls(tx, session, row, 'interrupted', writeTo(tx, session))
    if (row !== undefined) await endTurn(tx, session, row, 'error', reason)
    else {
      rest(session, 'error', reason)
      await taskEnds(tx, session, 'error', reason)
    }
  })
  core.histories.forget(lease.sessionId)
}

/** The turn stopped the program each time it was tried: end it, tell the person, let everything else go on. */
export async function giveUp(core: Core, lease: Lease): Promise<void> {
  await asRunner(core, lease, 'turn.give-up', async (tx, session) => {
    // The count is read before the calls are abandoned: appending their results sets it back.
    const reason = `The program stopped ${session.attempts - 1} times while working on this turn; it is not tried again by itself.`
    const row = (session.turn_id && (await findTurn(tx.db, session.turn_id))) || (await beginTurn(tx, session))
    await abandonCalls(tx, session, row, 'interrupted', writeTo(tx, session))
    await notify(tx, session, {
      title: `${calledAs(session)} was stopped`,
      body: `${reason} Send it a message to try once more.`,
    })
    await endTurn(tx, session, row, 'error', reason)
  })
  core.histories.forget(lease.sessionId)
}

const STUCK =
  'Its turn could neither go on nor be ended; the log in the data folder has the details. Send a message to try again.'

/** Not even the end of the turn can be written: only the session's row says that it failed. A message tries it again. */
export async function setAside(core: Core, lease: Lease): Promise<void> {
  const inTask = await asRunner(core, lease, 'session.set-aside', async (_tx, session) => {
    rest(session, 'error', STUCK)
    return session.task_id !== null
  })
  core.log('error', 'a session was set aside', { sessionId: lease.sessionId, reason: STUCK })
  // The end of the task comes last and apart, because it may be what cannot be written. It tells whoever waits.
  if (inTask) await endTask(core, lease.sessionId, STUCK)
}

/** Ends the tasks of sessions that were set aside by a program that died before it could do so. */
export async function endStranded(core: Core): Promise<void> {
  for (const id of await strandedSessions(core.store.read)) await endTask(core, id, STUCK)
}

/** A task that waited for agents or timers as long as it may fails, and its children end with it. Waiting for a person does not count. */
export async function failWait(core: Core, timer: SessionTimer): Promise<void> {
  await onSession(core, timer.session_id, 'task.wait-over', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const task = await findTask(tx.db, timer.ref)
    // A wanted session got what it waited for, or someone ends it. A paused one is held by a person.
    if (task?.status !== 'waiting' || session.wanted_at !== null || session.status === 'paused') return
    if (await needsPerson(tx.db, session)) return leaveErrand(tx, { ...waitOf(task), at: tx.now + task.max_wait_ms })
    const reason = `It waited ${task.max_wait_ms / 1000} s for other agents or a timer, which is the most (limits.maxWaitSeconds).`
    const row = session.turn_id === null ? undefined : await findTurn(tx.db, session.turn_id)
    if (row === undefined) return taskEnds(tx, session, 'limit', reason)
    await abandonCalls(tx, session, row, 'out of time', writeTo(tx, session))
    await endTurn(tx, session, row, 'limit', reason)
  })
  core.histories.forget(timer.session_id)
}
