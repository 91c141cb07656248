import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { selectMessages } from '../../store/messages.ts'
import { findRun, findRunByClient, insertRun, isOpenRun, limitsOfRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { RunRow, SessionRow } from '../../store/tables.ts'
import { type Core, leaveRunErrand, onSession, type Tx } from '../base/index.ts'
import { byCall } from './nudge.ts'
import { mustBeFree, runFor } from './run.ts'
import { watchTime } from './time.ts'
import { titleFor } from './title.ts'

/** Whether a session led a run that is over: it may lead another one. */
export async function ledRun(core: Core, id: SessionId): Promise<boolean> {
  const session = await findSession(core.store.read, id)
  if (session?.run_id == null || session.worker !== null) return false
  const run = await findRun(core.store.read, session.run_id)
  return run !== undefined && !isOpenRun(run)
}

/**
 * The coordinator of a run that is over begins the next one in its conversation, because a person asked for it. It has the
 * limits of the last, and its tools are there when this turn has ended: the board calls the coordinator then.
 */
export const startNextRun = (
  core: Core,
  { sessionId, callId }: { readonly sessionId: SessionId; readonly callId: string },
  goal: string,
): Promise<RunRow> =>
  onSession(core, sessionId, 'run.next', async (tx, session) => {
    const clientId = byCall(callId)
    const earlier = await findRunByClient(tx.db, session.project_id, clientId)
    if (earlier) return earlier
    await mustBeFree(tx, session)
    const last = await mustBeAsked(tx, session)
    const { project_id, id: session_id, agent } = session
    const body = { goal, clientId, mode: 'finite', limits: limitsOfRun(last) } as const
    const run = runFor(tx, body, { project_id, session_id, agent, title: titleFor(tx, goal) })
    await insertRun(tx.db, run)
    session.run_id = run.id
    await leaveRunErrand(tx, 'files', run.id)
    tx.record('run.created', { project: project_id, sessionId }, { runId: run.id, title: run.title, agent })
    await watchTime(tx, run)
    return run
  })

const LOOKED_BACK = 200

/** One run after the other without anybody's wish would never end. */
async function mustBeAsked(tx: Tx, session: SessionRow): Promise<RunRow> {
  const last = session.run_id === null ? undefined : await findRun(tx.db, session.run_id)
  const newest = await selectMessages(tx.db, session.id, { newestFirst: true, limit: LOOKED_BACK })
  const asked = newest.some(
    ({ role, from_kind, created_at }) => role === 'user' && from_kind === 'human' && created_at > (last?.ended_at ?? 0),
  )
  if (last !== undefined && asked) return last
  throw new AppError('run.state', 'Nobody has asked for another run since the last one ended.', {
    hint: 'Tell the human what could be done next; they decide.',
  })
}
