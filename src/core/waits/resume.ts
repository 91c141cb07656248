import { AppError } from '../../contract/errors.ts'
import { resolveParked } from '../../store/calls.ts'
import type { CallRow, SessionRow } from '../../store/tables.ts'
import { deleteTimers } from '../../store/timers.ts'
import { aboutSession, type Core, type ToolOutput, type Tx } from '../base/index.ts'
import { want } from '../sessions/index.ts'

/** What a call goes on with: its result, or the digest of what a person approved. */
type Resumption = { readonly result: ToolOutput } | Pick<CallRow, 'approved'>

/** A parked call goes on once: the first to come wins. The runner then writes its result into the log, or runs it. */
export async function resumeCall(
  core: Core,
  tx: Tx,
  session: SessionRow,
  call: CallRow,
  outcome: Resumption,
  how: string,
): Promise<boolean> {
  if (!(await resolveParked(tx.db, call.id, outcome))) return false
  await deleteTimers(tx.db, [call.id])
  resumed(core, tx, session, call, how)
  return true
}

/** A person lets the call go on, and is told when they come too late. */
export async function resumeCallByPerson(
  core: Core,
  tx: Tx,
  session: SessionRow,
  call: CallRow,
  outcome: Resumption,
  how: string,
): Promise<void> {
  if (await resumeCall(core, tx, session, call, outcome, how)) return
  throw new AppError('call.resolved', 'That call no longer waits.', {
    hint: 'It was answered, canceled or interrupted before.',
  })
}

export function resumed(core: Core, tx: Tx, session: SessionRow, { id, name }: CallRow, how: string): void {
  tx.record('call.resumed', aboutSession(session), { callId: id, name, how })
  if (session.status === 'waiting') want(tx, session)
  tx.after(() => core.wake(session.id))
}
