import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Session, Stopper } from '../../contract/sessions.ts'
import { stopAll as stopBackgroundOf } from '../../lib/process/background.ts'
import { finishCalls, openCalls } from '../../store/calls.ts'
import { deleteCompactions } from '../../store/compactions.ts'
import { hasWaitingMail } from '../../store/mail.ts'
import { deleteMessages } from '../../store/messages.ts'
import { findPresence, sessionsBelow } from '../../store/presence.ts'
import { deletePrompt } from '../../store/prompts.ts'
import { deleteSeen } from '../../store/seen.ts'
import type { SessionRow } from '../../store/tables.ts'
import { deleteTimers } from '../../store/timers.ts'
import { deleteTombstones } from '../../store/tombstones.ts'
import { findTurn } from '../../store/turns.ts'
import { aboutSession, type Core, onSession, type Tx } from '../base/index.ts'
import { leaveLine, stepAside } from '../budgets/index.ts'
import { dismissInboxOf } from '../inbox/index.ts'
import { dropMail, takeMail } from '../mail/index.ts'
import { stopRunOf } from '../runs/index.ts'
import {
  appendMessages,
  beginTurn,
  changed,
  close,
  erase,
  hold,
  isTaken,
  leaveTurn,
  lower,
  mustBeIdle,
  PAUSED,
  reopen,
  resume,
  tellToPause,
  tellToStop,
  want,
} from '../sessions/index.ts'
import { charge, chargeOf, settleLost } from '../spending/index.ts'
import { closeChildren, endsUntold, taskEnds, taskWaits } from '../tasks/index.ts'
import { pauseTriggersOf } from '../triggers/index.ts'
import { endTurn, stoppedBy } from '../turns/index.ts'
import { detach, failAllAsks, interruptWaits, resultOf } from '../waits/index.ts'

/** Stops at the next safe point and takes no mail until resumed; what waits for an answer may still be answered. */
export const pauseSession = (core: Core, id: SessionId): Promise<Session> =>
  changed(core, id, 'session.pause', async (tx, session) => {
    if (session.status === 'closed') {
      throw new AppError('session.state', 'The session is closed; there is nothing to pause.', {
        hint: 'Reopen it first.',
      })
    }
    // From now on it is paused by itself, also where everything is.
    session.paused_with = null
    await pauseNow(tx, session, PAUSED)
  })

export async function pauseNow(tx: Tx, session: SessionRow, reason: string): Promise<void> {
  if (isTaken(session)) return tellToPause(session, reason === PAUSED ? 'human' : 'parent')
  // Whoever was paused with its run stays paused without it, once a person wants it so.
  if (session.status === 'paused') return reason === PAUSED ? hold(session, reason) : undefined
  hold(session, reason)
  await stepAside(tx, session)
  // A task that was about to go on has its slot already.
  if (session.task_id !== null) await taskWaits(tx, session, reason, { person: true })
}

/** Goes on where it stopped: after a pause, or once more after an error. */
export const resumeSession = (core: Core, id: SessionId): Promise<Session> =>
  changed(core, id, 'session.resume', async (tx, session) => {
    if ((await findPresence(tx.db)).paused_since !== null) {
      throw new AppError('session.state', 'Everything is paused, so no session goes on by itself.', {
        hint: 'Let everything go on with: troupe resume --all',
      })
    }
    session.paused_with = null
    if (isTaken(session)) {
      if (session.signal === 'pause') lower(session)
      return
    }
    if (session.status !== 'paused' && session.status !== 'error') {
      throw new AppError(
        'session.state',
        `The session is ${session.status}; only a paused or failed one can be resumed.`,
      )
    }
    resume(tx, session)
  })

/** Ends the turn: the request in flight is aborted, parked calls end as canceled, no further model call is made. */
export const cancelSession = (
  core: Core,
  id: SessionId,
  by: Stopper = 'human',
  { tellsParent = true }: { tellsParent?: boolean } = {},
): Promise<Session> =>
  changed(core, id, 'session.cancel', async (tx, session) => {
    if (!tellsParent) await endsUntold(tx, session)
    tellToStop(session, 'cancel', by)
    if (session.turn_id !== null || isTaken(session)) return stop(core, tx, session)
    if (session.wanted_at !== null) return cancelUnbegun(core, tx, session)
    lower(session)
    await taskEnds(tx, session, 'canceled', CANCELED)
  })

/** Ends what a session does and all that was made by it, at any depth, waited for or not; also the run that it coordinates. */
export async function cancelTree(core: Core, id: SessionId): Promise<Session> {
  // First, so that no end of a node calls the coordinator.
  await stopRunOf(core, id)
  const canceled = await cancelSession(core, id)
  for (const child of await sessionsBelow(core.store.read, id, TREE)) {
    // News of its end would begin a turn of whoever gave the work, and so another model call.
    await cancelSession(core, child, 'human', { tellsParent: false })
  }
  return canceled
}

const TREE = 10_000

/** Accepted mail counts as a turn even before a runner takes it. That turn ends here; the next mail begins another. */
async function cancelUnbegun(core: Core, tx: Tx, session: SessionRow): Promise<void> {
  const row = await beginTurn(tx, session)
  const taken = await takeMail(tx, session, row, 'queued', Number.POSITIVE_INFINITY)
  await appendMessages(tx, session, taken)
  await endTurn(tx, session, row, 'canceled', stoppedBy(session, 'canceled'))
  tx.after(() => core.histories.forget(session.id))
}

export const closeSession = (core: Core, id: SessionId, by: Stopper = 'human'): Promise<Session> =>
  changed(core, id, 'session.close', async (tx, session) => {
    if (session.status === 'closed') return
    tellToStop(session, 'close', by)
    if (session.turn_id !== null || isTaken(session)) {
      await closeChildren(tx, session)
      return stop(core, tx, session)
    }
    close(tx, session)
    await taskEnds(tx, session, 'closed', CANCELED)
    await failAllAsks(tx, session, 'The session was closed.')
    await closeChildren(tx, session)
  })

const CANCELED = 'Canceled before it was done.'

/** The waits end at once, so that no answer is taken any more. The runner does the rest at the next safe point. */
async function stop(core: Core, tx: Tx, session: SessionRow): Promise<void> {
  if (session.status === 'paused') resume(tx, session)
  want(tx, session)
  await interruptWaits(core, tx, session, { said: 'canceled', canceled: true })
}

export const reopenSession = (core: Core, id: SessionId): Promise<Session> =>
  changed(core, id, 'session.reopen', async (tx, session) => {
    if (session.status !== 'closed') return
    reopen(session)
    if (await hasWaitingMail(tx.db, id)) want(tx, session)
  })

/** History goes; identity and unread mail stay. */
export const clearSession = async (core: Core, id: SessionId): Promise<Session> => {
  const cleared = await changed(core, id, 'session.clear', async (tx, session) => {
    mustBeIdle(session, 'cleared')
    await clearHistory(tx, session)
  })
  core.histories.forget(id)
  return cleared
}

export async function clearHistory(tx: Tx, session: SessionRow): Promise<void> {
  await deleteMessages(tx.db, session.id)
  await deleteTombstones(tx.db, session.id)
  await deletePrompt(tx.db, session.id)
  await deleteCompactions(tx.db, session.id)
  await deleteSeen(tx.db, session.id)
  tx.record('session.cleared', aboutSession(session), { messages: session.message_count })
  session.message_count = 0
  session.compaction_count = 0
  session.compact_focus = null
  session.last_snippet = ''
  session.log_version += 1
  session.updated_at = tx.now
}

/** The session's runner can write nothing more, and its children are closed. */
export async function deleteSession(core: Core, id: SessionId): Promise<void> {
  await onSession(core, id, 'session.delete', async (tx, session) => {
    if (session.deleted_at !== null) return
    const turn = session.turn_id === null ? undefined : await findTurn(tx.db, session.turn_id)
    if (turn !== undefined) {
      await leaveLine(tx, session, turn)
      await leaveTurn(tx, session, turn, 'canceled', 'The session was deleted.')
    }
    await settleLost(tx, id)
    erase(tx, session)
    await dropOpen(tx, session)
    await taskEnds(tx, session, 'closed', 'Its session was deleted.')
    await failAllAsks(tx, session, 'The session was deleted.')
    await closeChildren(tx, session)
    await pauseTriggersOf(tx, session)
  })
  core.wake(id)
  core.histories.forget(id)
  await stopBackgroundOf(id)
}

async function dropOpen(tx: Tx, session: SessionRow): Promise<void> {
  const open = await openCalls(tx.db, session.id)
  for (const call of open) {
    if (call.state === 'resolved') await charge(tx, session, undefined, chargeOf(resultOf(call)))
    await detach(tx, session, call, 'canceled')
  }
  const calls = open.map((call) => call.id)
  await finishCalls(tx.db, calls, tx.now)
  await deleteTimers(tx.db, calls)
  await dismissInboxOf(tx, session, 'deleted')
  await dropMail(tx, session, 'The session was deleted.')
}
