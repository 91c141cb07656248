import { AppError } from '../../contract/errors.ts'
import type { CallId } from '../../contract/ids.ts'
import type { Decision } from '../../contract/inbox.ts'
import { findCall, openCalls, resolutionOf, resolveParked } from '../../store/calls.ts'
import { insertGrant } from '../../store/grants.ts'
import { settleInbox } from '../../store/inbox.ts'
import type { CallRow, SessionRow, TimerRow } from '../../store/tables.ts'
import { deleteTimers, payloadOf, takeTimer } from '../../store/timers.ts'
import { type Asked, aboutSession, type Core, onSession, type ToolOutput, type Tx } from '../base/index.ts'
import { askedOf } from '../permissions/index.ts'
import { want } from '../sessions/index.ts'
import { detach, resultAtTimeout, resultFor, stillOpen } from './tasks.ts'

/** A parked call is resolved once, by whoever comes first; the runner then writes its result into the log. */

export async function resolveQuestion(
  core: Core,
  tx: Tx,
  session: SessionRow,
  callId: CallId,
  answer: { answer: string },
): Promise<void> {
  await resolve(core, tx, session, callId, 'resolved', { output: answer }, 'answered')
}

export async function resolveApproval(
  core: Core,
  tx: Tx,
  session: SessionRow,
  callId: CallId,
  { decision, reason }: { decision: Decision; reason?: string | undefined },
): Promise<void> {
  if (decision === 'deny') {
    const output = `Denied by the person${reason ? `: ${reason}` : '.'} Do not try the same by another way.`
    await resolve(core, tx, session, callId, 'resolved', { output, error: true }, 'denied')
    const call = await findCall(tx.db, callId)
    tx.record('tool.denied', aboutSession(session), {
      callId,
      name: call?.name ?? '',
      reason: reason ?? 'denied by the person',
    })
    return
  }
  const call = await findCall(tx.db, callId)
  const asked = askedOf(call)
  await resolve(core, tx, session, callId, 'ready', { ...asked, approved: decision }, `approved (${decision})`)
  if (decision !== 'session') return
  for (const rule of asked?.always ?? []) await insertGrant(tx.db, session.id, rule, tx.now)
}

/** Approved, and still exactly what the person saw. */
export function isApproved(call: CallRow, bound: string): boolean {
  const kept: (Asked & { approved?: string }) | undefined = askedOf(call)
  return kept?.approved !== undefined && kept.bound === bound
}

const TIME_UP: ToolOutput = { output: 'The time is up.' }

/** The time of a parked call is up. */
export async function resolveTimer(core: Core, timer: TimerRow): Promise<void> {
  await onSession(core, timer.session_id, 'timer.resolve', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const call = await findCall(tx.db, timer.ref)
    if (call?.state !== 'parked') return
    const result = call.kind === 'timer' ? payloadOf(timer, TIME_UP) : await resultAtTimeout(tx, call)
    await resolveParked(tx.db, call.id, 'resolved', result)
    resumed(core, tx, session, call.id, 'time', call.name)
  })
}

/** A call that waits for others looks whether it still must; whoever changed what it waits for calls this. */
export async function lookAgain(core: Core, tx: Tx, session: SessionRow, call: CallRow, how: string): Promise<void> {
  const result = call.state === 'parked' ? await resultFor(tx, call) : undefined
  if (result === undefined) return
  await resolveParked(tx.db, call.id, 'resolved', result)
  await deleteTimers(tx.db, [call.id])
  resumed(core, tx, session, call.id, how, call.name)
}

/** A message ends the waits of a session early; the agent may wait again. */
export const endWaits = (core: Core, tx: Tx, session: SessionRow): Promise<void> =>
  interruptWaits(core, tx, session, {
    said: 'The wait was interrupted by a message; wait again if that is still needed.',
  })

/** Mail or a person ends the waits of a session early: each gets this as its result, an approval its own. */
export async function interruptWaits(
  core: Core,
  tx: Tx,
  session: SessionRow,
  how: { said: string; approvals?: string; canceled?: boolean },
): Promise<void> {
  const reason = how.canceled ? 'canceled' : 'a message came'
  for (const call of await openCalls(tx.db, session.id)) {
    if (call.state !== 'parked') continue
    const said = call.kind === 'approval' ? (how.approvals ?? how.said) : how.said
    const output = how.canceled ? said : `${said}${await stillOpen(tx.db, call)}`
    if (!(await resolveParked(tx.db, call.id, 'resolved', { output, error: call.kind !== 'timer' }))) continue
    await detach(tx, session, call, how.canceled ? 'canceled' : 'interrupted')
    await deleteTimers(tx.db, [call.id])
    if (call.inbox_id !== null) {
      await settleInbox(tx.db, call.inbox_id, 'dismissed', { answer: null, by: reason, at: tx.now })
      tx.record('inbox.dismissed', aboutSession(session), { inboxId: call.inbox_id, reason })
    }
    resumed(core, tx, session, call.id, reason, call.name)
  }
}

/** One that cannot be read is known to be there, and no more. */
export const resultOf = (call: CallRow): ToolOutput =>
  resolutionOf(call, { output: 'The result could not be read from the database.', error: true })

async function resolve(
  core: Core,
  tx: Tx,
  session: SessionRow,
  callId: CallId,
  state: 'resolved' | 'ready',
  resolution: unknown,
  how: string,
): Promise<void> {
  if (!(await resolveParked(tx.db, callId, state, resolution))) {
    throw new AppError('call.resolved', 'That call no longer waits.', {
      hint: 'It was answered, canceled or interrupted before.',
    })
  }
  resumed(core, tx, session, callId, how)
}

function resumed(core: Core, tx: Tx, session: SessionRow, callId: CallId, how: string, name = ''): void {
  tx.record('call.resumed', aboutSession(session), { callId, name, how })
  if (session.status === 'waiting') want(tx, session)
  tx.after(() => core.wake(session.id))
}
