import { openCalls } from '../../store/calls.ts'
import { findTurn } from '../../store/turns.ts'
import { asRunner, type Core, type Lease } from '../base/index.ts'
import { takeNews } from '../mail/index.ts'
import { obeyStop } from './advance.ts'
import { currentTurn, pause, stayAtRest, wait } from './at-rest.ts'
import { abandonCalls, writeTo } from './call-rows.ts'
import { endTurn } from './end.ts'

/**
 * The agent cannot be used as its files and settings are now. Its turn takes the mail that waits and ends with the
 * sentence that says why, in one transaction; a person's pause, cancel or close comes first.
 */
export async function endBroken(core: Core, lease: Lease, problem: string): Promise<void> {
  await asRunner(core, lease, 'turn.broken', async (tx, session) => {
    const write = writeTo(tx, session)
    const open = session.turn_id === null ? undefined : await findTurn(tx.db, session.turn_id)
    const row = await currentTurn(tx, session, open)
    if (row === undefined) return stayAtRest(tx, session)
    if (session.signal === 'pause') return pause(tx, session, row)
    const stopped = await obeyStop(tx, session, row, write)
    if (stopped !== undefined) return stopped

    // What waits goes on waiting: the agent may be repaired before it is answered.
    const calls = await openCalls(tx.db, session.id)
    if (calls.some(({ state }) => state === 'parked')) return wait(core, tx, session, row, calls)

    await abandonCalls(tx, session, row, 'interrupted', write)
    await write(await takeNews(tx, session, row, open === undefined))
    return endTurn(tx, session, row, 'error', problem)
  })
  core.histories.forget(lease.sessionId)
}
