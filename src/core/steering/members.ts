import { findRun } from '../../store/runs.ts'
import type { SessionTimer } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { type Core, onSession } from '../base/index.ts'
import { isTaken, lower, PAUSED_WITH_RUN, resume } from '../sessions/index.ts'
import { pauseNow } from './lifecycle.ts'

/** A member of a run pauses and goes on with it. One that a person paused by itself stays so. */
export async function steerMember(core: Core, timer: SessionTimer): Promise<void> {
  await onSession(core, timer.session_id, 'run.steer', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    if (session.deleted_at !== null || session.status === 'closed' || session.run_id !== timer.ref) return
    const paused = (await findRun(tx.db, timer.ref))?.status === 'paused'
    if (paused) await pauseNow(tx, session, PAUSED_WITH_RUN)
    // The word to pause may also have been left by a server that died before it was heard.
    else if (session.signal === 'pause' && session.paused_with === null && session.stopped_by !== 'human')
      lower(session)
    else if (!isTaken(session) && session.status === 'paused' && session.reason === PAUSED_WITH_RUN) resume(tx, session)
  })
  core.wake(timer.session_id)
}
