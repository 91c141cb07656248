import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Session } from '../../contract/sessions.ts'
import { findSession } from '../../store/sessions.ts'
import { aboutSession, type Core } from '../base/index.ts'
import { changed, describeSession, isTaken, projectOfSession, want } from '../sessions/index.ts'
import { canCompact } from '../turns/index.ts'

/** Asks for a compaction at the next safe point with no open call. A session at rest is woken for it. */
export async function compactSession(core: Core, id: SessionId, focus = ''): Promise<Session> {
  const found = (await findSession(core.store.read, id))!
  const { runtime, model } = await describeSession(core, found, await projectOfSession(core, found))
  if (!canCompact({ runtime, model }))
    throw new AppError('session.state', 'The history of this session cannot be compacted.', {
      hint: 'Its model plays a recording, or its runtime minds its own context. Choose a model with "troupe sessions model".',
    })
  return changed(core, id, 'session.compact', async (tx, session) => {
    if (session.status === 'closed')
      throw new AppError('session.state', 'The session is closed; there is nothing to go on with.', {
        hint: 'Reopen it first.',
      })
    session.compact_focus = focus
    tx.record('compaction.asked', aboutSession(session), { focus })
    if (session.turn_id === null && session.status !== 'paused' && !isTaken(session)) want(tx, session)
  })
}
