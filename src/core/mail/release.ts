import { findChain, updateChain } from '../../store/chains.ts'
import type { SessionTimer } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { type Core, onSession } from '../base/index.ts'
import { isTaken, want } from '../sessions/index.ts'
import { releaseSuppressed } from './chains.ts'
import { post } from './deliver.ts'

/** The person let a chain go on: suppressed mail wakes its session, and a session whose act was refused is told. */
export async function releaseChain(core: Core, timer: SessionTimer): Promise<void> {
  await onSession(core, timer.session_id, 'chain.release', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    if (session.deleted_at !== null) return
    const released = await releaseSuppressed(tx, session)
    const resting = ['idle', 'error'].includes(session.status) && !isTaken(session)
    if (released > 0 && resting) want(tx, session)
    const chain = await findChain(tx.db, timer.ref)
    if (chain?.refused_session_id === session.id) {
      await updateChain(tx.db, chain.id, { refused_session_id: null })
      await post(core, tx, session, {
        to: session.id,
        from: { kind: 'system' },
        content: 'The person lets it go on: what was refused because the chain was spent may be done now.',
      })
    }
    tx.after(() => core.wake(session.id))
  })
}
