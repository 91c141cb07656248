import type { InboxAnswer } from '../../contract/inbox.ts'
import { findCall, openCalls, resolveParked, resultIn } from '../../store/calls.ts'
import { settleInbox } from '../../store/inbox.ts'
import type { CallRow, SessionRow, TimerRow } from '../../store/tables.ts'
import { deleteTimers, takeTimer } from '../../store/timers.ts'
import { aboutSession, type Core, onSession, type ToolOutput, type Tx } from '../base/index.ts'
import { kinds, personOf, waitOf } from './kinds.ts'
import { resume, resumed } from './resume.ts'
import type { Early } from './wait.ts'

/** What this answer of a person does; nothing where the call does not take such an answer. */
export function answering(
  call: CallRow,
  given: InboxAnswer,
): ((core: Core, tx: Tx, session: SessionRow) => Promise<void>) | undefined {
  const { answer, decide } = personOf(call) ?? {}
  if ('answer' in given) return answer && ((core, tx, session) => answer(core, tx, session, call, given.answer))
  return decide && ((core, tx, session) => decide(core, tx, session, call, given))
}

/** The time of a parked call is up. */
export async function resolveTimer(core: Core, timer: TimerRow): Promise<void> {
  await onSession(core, timer.session_id, 'timer.resolve', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const call = await findCall(tx.db, timer.ref)
    const result = call && (await waitOf(call)?.atLimit?.(tx, call))
    if (result !== undefined) await resume(core, tx, session, call!, { result }, 'time')
  })
}

/** A call that waits for others looks whether it still must; whoever changed what it waits for calls this. */
export async function lookAgain(core: Core, tx: Tx, session: SessionRow, call: CallRow, how: string): Promise<void> {
  const result = await waitOf(call)?.look?.(tx, call)
  if (result !== undefined) await resume(core, tx, session, call, { result }, how)
}

/** A message ends the waits of a session early; the agent may wait again. */
export const endWaits = (core: Core, tx: Tx, session: SessionRow): Promise<void> =>
  interruptWaits(core, tx, session, {
    said: 'The wait was interrupted by a message; wait again if that is still needed.',
  })

/** Mail or a person ends the waits of a session early: each kind says what its result is then. */
export async function interruptWaits(core: Core, tx: Tx, session: SessionRow, how: Early): Promise<void> {
  const reason = how.canceled ? 'canceled' : 'a message came'
  for (const call of await openCalls(tx.db, session.id)) {
    const result = await waitOf(call)?.endedEarly(tx.db, call, how)
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

/** The call waits no longer, or never came to wait: whatever it began is left to go on, or ends with it. */
export async function detach(
  tx: Tx,
  session: SessionRow,
  call: CallRow,
  how: 'interrupted' | 'canceled',
): Promise<void> {
  for (const wait of new Set(Object.values(kinds))) await wait.detach?.(tx, session, call, how)
}

/** One that cannot be read is known to be there, and no more. */
export const resultOf = (call: CallRow): ToolOutput =>
  resultIn(call, { output: 'The result could not be read from the database.', error: true })
