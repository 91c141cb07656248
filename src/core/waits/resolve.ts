import type { CallId, InboxId } from '../../contract/ids.ts'
import type { InboxAnswer } from '../../contract/inbox.ts'
import { findCall, openCalls, resolveParked, resultIn } from '../../store/calls.ts'
import { settleInbox } from '../../store/inbox.ts'
import type { CallRow, SessionRow, SessionTimer } from '../../store/tables.ts'
import { deleteTimers, takeTimer } from '../../store/timers.ts'
import {
  aboutSession,
  type Core,
  type Errand,
  LATER_MS,
  leaveErrand,
  onSession,
  type ToolOutput,
  type Tx,
} from '../base/index.ts'
import { kinds, personOf, waitFor } from './kinds.ts'
import { resumeCall, resumed } from './resume.ts'
import type { Early } from './wait.ts'

/** What this answer of a person does; undefined when the call takes no such answer. */
export function answering(
  call: CallRow,
  given: InboxAnswer,
): ((core: Core, tx: Tx, session: SessionRow) => Promise<void>) | undefined {
  const { answer, decide } = personOf(call) ?? {}
  if ('answer' in given) return answer && ((core, tx, session) => answer(core, tx, session, call, given.answer))
  return decide && ((core, tx, session) => decide(core, tx, session, call, given))
}

/** The time of a parked call is up. */
export async function resolveTimer(core: Core, timer: SessionTimer): Promise<void> {
  await onSession(core, timer.session_id, 'timer.resolve', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const call = await findCall(tx.db, timer.ref)
    if (call === undefined) return
    const wait = waitFor(call)
    const result = await wait?.atLimit?.(tx, call)
    if (result === undefined || !(await resumeCall(core, tx, session, call, { result }, 'time'))) return
    if (call.inbox_id !== null) await lapse(tx, session, call.inbox_id, wait?.lapsesAs?.(call) ?? 'expired', result)
  })
}

/** Nobody answered in time: the item says what became of it. */
async function lapse(
  tx: Tx,
  session: SessionRow,
  inboxId: InboxId,
  status: 'answered' | 'expired',
  { output }: ToolOutput,
): Promise<void> {
  const by = 'nobody, by what was said for unanswered questions'
  if (!(await settleInbox(tx.db, inboxId, status, { answer: status === 'expired' ? null : output, by, at: tx.now })))
    return
  if (status === 'expired') tx.record('inbox.expired', aboutSession(session), { inboxId })
  else tx.record('inbox.answered', aboutSession(session), { inboxId, by })
}

/** A call looks whether it still must wait. Whoever changes what it waits for calls this. */
export async function lookAgain(core: Core, tx: Tx, session: SessionRow, call: CallRow, how: string): Promise<void> {
  const result = await waitFor(call)?.look?.(tx, call)
  if (result !== undefined) await resumeCall(core, tx, session, call, { result }, how)
}

/**
 * Tells a call that what it waits for has come. Returns false when the call is over: its session must then be told in
 * another way. A call that has not parked yet looks for itself when it parks. It may never park, so the errand is left again.
 */
export async function tellCall(
  core: Core,
  tx: Tx,
  session: SessionRow,
  id: CallId,
  how: string,
  errand: Errand,
): Promise<boolean> {
  const call = await findCall(tx.db, id)
  if (call === undefined || call.state === 'resolved' || call.state === 'done') return false
  if (call.state === 'parked') await lookAgain(core, tx, session, call, how)
  else await leaveErrand(tx, { ...errand, at: tx.now + LATER_MS })
  return true
}

/** A message ends the waits of a session early; the agent may wait again. */
export const endWaits = (core: Core, tx: Tx, session: SessionRow): Promise<void> =>
  interruptWaits(core, tx, session, {
    said: 'The wait was interrupted by a message; wait again if that is still needed.',
  })

/** Mail or a person ends the waits of a session early. Each kind of wait says what its result is then. */
export async function interruptWaits(core: Core, tx: Tx, session: SessionRow, how: Early): Promise<void> {
  const reason = how.canceled ? 'canceled' : 'a message came'
  for (const call of await openCalls(tx.db, session.id)) {
    const result = await waitFor(call)?.endedEarly(tx.db, call, how)
    if (result === undefined || !(await resolveParked(tx.db, call.id, { result }))) continue
    await detach(tx, session, call, how.canceled ? 'canceled' : 'interrupted')
    await deleteTimers(tx.db, [call.id])
    if (call.inbox_id !== null) {
      await settleInbox(tx.db, call.inbox_id, 'dismissed', { answer: null, by: reason, at: tx.now })
      tx.record('inbox.dismissed', aboutSession(session), { inboxId: call.inbox_id, reason })
    }
    resumed(core, tx, session, call, reason)
  }
}

/** The call waits no longer, or never came to wait. What it began goes on, or is canceled with it. */
export async function detach(
  tx: Tx,
  session: SessionRow,
  call: CallRow,
  how: 'interrupted' | 'canceled',
): Promise<void> {
  for (const wait of new Set(Object.values(kinds))) await wait.detach?.(tx, session, call, how)
}

/** The result of a call. When it cannot be read, it is only known that there is one. */
export const resultOf = (call: CallRow): ToolOutput =>
  resultIn(call, { output: 'The result could not be read from the database.', error: true })
