import type { Lease } from '../../src/core/base/core.ts'
import { createEmbeddedEngine } from '../../src/engines/embedded.ts'
import { claimSession } from '../../src/store/leases.ts'
import { updateSession } from '../../src/store/sessions.ts'
import type { Store } from '../../src/store/store.ts'
import type { Db, SessionRow } from '../../src/store/tables.ts'
import type { Reply, SeenRequest } from '../kit/vendor/server.ts'
import { createWorld, type World, type WorldOptions } from '../kit/world.ts'

const LEASE_MS = 15_000
/** Longer than any test. */
const FOR_GOOD_MS = 600_000
const DECOY = 'Be busy for ever'

/** A world whose own engine has its hands full with one turn that never ends: every other session is the test's to run. */
export async function busyWorld(
  options: WorldOptions,
  script: (request: SeenRequest) => Reply = () => ({ text: 'Done.' }),
): Promise<World> {
  const settings = { ...options.settings, limits: { maxConcurrentTurns: 1 } }
  const world = await createWorld({ ...options, settings })
  const busy = Promise.withResolvers<void>()
  world.vendor.script((request) => {
    if (!request.lastUserText.includes(DECOY)) return script(request)
    busy.resolve()
    return { text: 'Busy', hang: true }
  })
  const { id } = await world.session()
  await world.send(id, DECOY)
  await busy.promise
  // The server of a store of one process renews nothing; a second runner must not take this one for abandoned.
  const { store, clock } = world.server.core
  await store.write((db) => updateSession(db, id, { lease_until: clock.now() + FOR_GOOD_MS }))
  const { session } = world
  // Every runner may take them, whatever its host.
  world.session = async (body) => {
    const made = await session(body)
    await store.write((db) => updateSession(db, made.id, { moves: 1 }))
    return made
  }
  return world
}

interface Claimed {
  readonly lease: Lease
  readonly row: SessionRow
}

/** What a runner does first; undefined when it is not to be had. */
export const claim = ({ server }: World, id: string, owner: string): Promise<Claimed | undefined> =>
  server.core.store.write((db) => claimIn(server.core.store, db, { id, owner, leaseMs: LEASE_MS }))

/** The lease of whoever runs it runs out, and another takes the session over, for good. */
export async function takeOver({ server }: World, id: string, owner = 'another'): Promise<Claimed> {
  const { store } = server.core
  // At once, or a renewal would come between.
  const taken = await store.write(async (db) => {
    await updateSession(db, id, { lease_until: 1 })
    return claimIn(store, db, { id, owner, leaseMs: FOR_GOOD_MS })
  })
  if (taken === undefined) throw new Error(`The session ${id} was not to be had.`)
  return taken
}

async function claimIn(
  store: Store,
  db: Db,
  { id, owner, leaseMs }: { id: string; owner: string; leaseMs: number },
): Promise<Claimed | undefined> {
  const now = await store.now(db)
  const row = await claimSession(db, id, { owner, now, leaseMs, countsTo: Number.MAX_SAFE_INTEGER })
  return row && { row, lease: { sessionId: id, fence: row.fence, signal: new AbortController().signal } }
}

/** A second runner over the world's store, as another process beside the server would be. */
export async function secondEngine({ server }: World, host = 'second') {
  const core = {
    ...server.core,
    host,
    wake: (id: string) => engine.wake(id),
    alarm: (due: number) => engine.alarm(due),
  }
  const engine = createEmbeddedEngine(core, { maxTurns: 10, alone: false, name: host })
  await engine.start()
  return { core, engine }
}
