import type { TimerRow } from '../../store/tables.ts'
import { claimTimers, dueTimers } from '../../store/timers.ts'
import type { Core } from '../base/index.ts'

/** After this time another process serves what a dead or halted process has claimed. */
const CLAIM_MS = 6000

/** The timers that are due, for this process to serve. Where it is alone on the database it needs no claim. */
export function claimDue(core: Core, limit: number): Promise<TimerRow[]> {
  const due = core.clock.now()
  if (core.store.alone) return dueTimers(core.store.read, due, limit)
  return core.store.write(async (db) => {
    const now = await core.store.now(db)
    return claimTimers(db, { by: core.host, due, now, until: now + CLAIM_MS, limit })
  })
}
