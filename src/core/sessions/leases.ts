import type { SessionId } from '../../contract/ids.ts'
import { putHost, removeHosts } from '../../store/hosts.ts'
import { renewLeases, takeLeases } from '../../store/leases.ts'
import { freeTimers } from '../../store/timers.ts'
import type { Core } from '../base/index.ts'

/** What a process holds, as its engine keeps it. No event tells of it, so these are plain writes. */

/** Returns the sessions that this process still holds; the others were taken from it. */
export const renewHeld = (core: Core, ids: readonly SessionId[], leaseMs: number): Promise<SessionId[]> =>
  core.store.write(async (db) => renewLeases(db, core.host, ids, (await core.store.now(db)) + leaseMs))

/** Frees what this data folder's process before held or, where this process is alone, what anyone held. */
export const freeHeld = (core: Core, alone: boolean): Promise<void> =>
  core.store.write(async (db) => {
    await takeLeases(db, alone ? undefined : core.host)
    await freeTimers(db, core.host)
  })

/** A host that was not seen for so long is forgotten. */
const FORGOTTEN_MS = 90 * 24 * 3_600_000

/** Writes that this host is there, and forgets those that have been away for months. */
export const showHost = (core: Core, name: string): Promise<void> =>
  core.store.write(async (db) => {
    const now = await core.store.now(db)
    await putHost(db, { id: core.host, name, seen_at: now })
    await removeHosts(db, now - FORGOTTEN_MS)
  })
