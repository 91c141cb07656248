import type { SessionId } from '../../contract/ids.ts'
import type { Presence } from '../../contract/presence.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { findPresence, holdPresence, pausedWithAll, putPresence, runningSessions } from '../../store/presence.ts'
import { unclaimedSessions } from '../../store/slots.ts'
import { type Core, onSession, transact } from '../base/index.ts'
import { presenceNow } from '../inbox/index.ts'
import { isTaken, lower, raise, resume } from '../sessions/index.ts'

const PAGE = 500

/**
 * Everything stands still: nothing is begun or gone on with, and what runs stops at its next safe point. That comes second:
 * whoever is killed between has a server that begins nothing.
 */
export async function pauseAll(core: Core, by: string): Promise<Presence> {
  await transact(core, 'everything.pause', async (tx) => {
    if ((await findPresence(tx.db)).paused_since !== null) return
    await putPresence(tx.db, { paused_since: tx.now })
    tx.record('everything.paused', { project: core.project.id }, { by })
  })
  crashPoint('everything.paused')
  for (let ids = await running(core); ids.length > 0; ids = await running(core)) {
    await Promise.all(ids.map((id) => pauseWithAll(core, id)))
    if ((await findPresence(core.store.read)).paused_since === null) break
  }
  return presenceNow(core)
}

const running = (core: Core): Promise<SessionId[]> => runningSessions(core.store.read, PAGE)

/** One that a person has paused or stopped already is left to them. Once everything goes on again, none is paused. */
const pauseWithAll = (core: Core, id: SessionId): Promise<void> =>
  onSession(core, id, 'everything.pause-one', async (tx, session) => {
    if (!isTaken(session) || (await holdPresence(tx.db)).paused_since === null) return
    session.paused_with = 'all'
    raise(session, 'pause')
  }).then(() => core.wake(id))

/** Everything goes on, but for what a person has paused by itself. The row that holds it all goes last. */
export async function resumeAll(core: Core, by: string): Promise<Presence> {
  await letGo(core)
  crashPoint('everything.resumed')
  await transact(core, 'everything.resume', async (tx) => {
    if ((await findPresence(tx.db)).paused_since === null) return
    await putPresence(tx.db, { paused_since: null })
    tx.record('everything.resumed', { project: core.project.id }, { by })
  })
  // One that was about to begin may have heard of the standstill only now.
  await letGo(core)
  const db = core.store.read
  const now = await core.store.now(db)
  for (const id of await unclaimedSessions(db, { host: core.host, now, limit: PAGE, except: [] })) core.wake(id)
  return presenceNow(core)
}

async function letGo(core: Core): Promise<void> {
  for (let ids = await held(core); ids.length > 0; ids = await held(core))
    for (const id of ids) await resumeWithAll(core, id)
}

const held = (core: Core): Promise<SessionId[]> => pausedWithAll(core.store.read, PAGE)

const resumeWithAll = (core: Core, id: SessionId): Promise<void> =>
  onSession(core, id, 'everything.resume-one', async (tx, session) => {
    if (session.paused_with !== 'all') return
    session.paused_with = null
    if (isTaken(session)) {
      if (session.signal === 'pause') lower(session)
    } else if (session.status === 'paused') resume(tx, session)
  })
