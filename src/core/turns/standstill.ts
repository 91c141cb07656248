import type { SessionId } from '../../contract/ids.ts'
import { holdPresence } from '../../store/presence.ts'
import { type Core, onSession } from '../base/index.ts'
import { raise } from '../sessions/index.ts'

/** A session that runs though everything is paused stops at its next safe point, unless it is to be stopped for good. */
export const heedStandstill = (core: Core, id: SessionId): Promise<void> =>
  onSession(core, id, 'everything.heeded', async (tx, session) => {
    // Held: whoever lets everything go on meanwhile waits for this, and lets this go on too.
    if ((await holdPresence(tx.db)).paused_since === null) return
    if (session.signal === 'cancel' || session.signal === 'close') return
    session.paused_with ??= session.signal === 'pause' ? null : 'all'
    raise(session, 'pause')
  })
