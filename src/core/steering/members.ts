import { readJson } from '../../store/drivers/unreadable.ts'
import { findRun, isOpenRun } from '../../store/runs.ts'
import type { RunRow, SessionRow, SessionTimer } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { aboutSession, type Core, onSession, type Tx } from '../base/index.ts'
import type { SaidBefore } from '../runs/index.ts'
import { isTaken, lower, PAUSED_WITH_RUN, resume } from '../sessions/index.ts'
import { pauseNow } from './lifecycle.ts'

/** A member of a run pauses and goes on with it. One that a person paused by itself stays so. */
export async function steerMember(core: Core, timer: SessionTimer): Promise<void> {
  await onSession(core, timer.session_id, 'run.steer', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    if (session.deleted_at !== null || session.status === 'closed' || session.run_id !== timer.ref) return
    const run = await findRun(tx.db, timer.ref)
    if (run && !isOpenRun(run) && run.session_id === session.id) unsay(tx, session, run)
    if (run?.status === 'paused') await pauseNow(tx, session, PAUSED_WITH_RUN)
    // The word to pause may also have been left by a server that died before it was heard.
    else if (session.signal === 'pause' && session.paused_with === null && session.stopped_by !== 'human')
      lower(session)
    else if (!isTaken(session) && session.status === 'paused' && session.reason === PAUSED_WITH_RUN) resume(tx, session)
  })
  core.wake(timer.session_id)
}

const NOTHING: SaidBefore = { unattended: null, questions: null }

/** In the conversation that goes on after a run the person is asked as before it. */
function unsay(tx: Tx, session: SessionRow, { id, said_before }: RunRow): void {
  if (said_before === null) return
  const isKnown = (value: unknown): boolean => typeof value === 'object' && value !== null
  const before = readJson({ table: 'runs', key: id, column: 'said_before' }, said_before, isKnown, NOTHING)
  if (session.unattended === before.unattended && session.questions === before.questions) return
  session.unattended = before.unattended
  session.questions = before.questions
  tx.record('session.updated', aboutSession(session), { changed: { ...before } })
}
