import type { SessionId } from '../../contract/ids.ts'
import type { Board, RunStatus } from '../../contract/runs.ts'
import { findRun, isOpenRun, lockRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import { type Core, transact } from '../base/index.ts'
import { cancelOpen, closeRun } from './close.ts'
import { isOverAlready, noRun } from './state.ts'
import { boardOf } from './views.ts'

/** What a session is in the run that is open around it; undefined where there is none. */
export async function roleIn(core: Core, sessionId: SessionId): Promise<'coordinator' | 'worker' | undefined> {
  const session = await findSession(core.store.read, sessionId)
  if (session?.run_id == null) return undefined
  const run = await findRun(core.store.read, session.run_id)
  if (run === undefined || !isOpenRun(run)) return undefined
  return session.worker === null ? 'coordinator' : 'worker'
}

/** The board of the run in which this session is. */
export async function ownBoard(core: Core, sessionId: SessionId): Promise<Board> {
  const session = await findSession(core.store.read, sessionId)
  return boardOf(core.store.read, session?.run_id ?? 'none')
}

/** The coordinator says that the run is over. The same call again finds it so. */
export async function finishRun(core: Core, sessionId: SessionId, summary: string): Promise<RunStatus> {
  const session = await findSession(core.store.read, sessionId)
  const id = session?.run_id ?? 'none'
  return transact(core, 'run.end', async (tx) => {
    const run = await lockRun(tx.db, id)
    if (run === undefined) throw noRun(id)
    if (run.status === 'finished' && run.summary === tx.mask(summary)) return run.status
    if (!isOpenRun(run)) throw isOverAlready(run)
    // Only a person ends a run that is to go on for ever.
    if (run.mode === 'infinite') {
      await cancelOpen(tx, run, 'The coordinator ended the cycle.')
      return run.status
    }
    await closeRun(tx, run, { status: 'finished', reason: 'The coordinator said that it is done.', summary })
    return 'finished'
  })
}
