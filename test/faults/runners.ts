import type { Lease } from '../../src/core/core.ts'
import { createEmbeddedEngine } from '../../src/engines/embedded.ts'
import { claimSession, updateSession } from '../../src/store/sessions.ts'
import type { SessionRow } from '../../src/store/tables.ts'
import type { Reply, SeenRequest } from '../vendor/server.ts'
import { createWorld, type World, type WorldOptions } from '../world.ts'

export const LEASE_MS = 6000
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
  await world.send((await world.session()).id, DECOY)
  await busy.promise
  return world
}

export interface Claimed {
  readonly lease: Lease
  readonly row: SessionRow
}

/** What a runner does first; undefined when it is not to be had. */
export async function claim({ server }: World, id: string, owner: string): Promise<Claimed | undefined> {
  const { store } = server.core
  const row = await store.write(async (db) => {
    const now = await store.now(db)
    return claimSession(db, id, { owner, now, until: now + LEASE_MS })
  })
  return row && { row, lease: { sessionId: id, fence: row.fence, signal: new AbortController().signal } }
}

/** The lease of whoever runs it runs out, and another takes the session over. */
export async function takeOver(world: World, id: string, owner = 'another'): Promise<Claimed> {
  await world.server.core.store.write((db) => updateSession(db, id, { lease_until: 1 }))
  const taken = await claim(world, id, owner)
  if (taken === undefined) throw new Error(`The session ${id} was not to be had.`)
  return taken
}

/** A second runner over the world's store, as another process beside the server would be. */
export async function secondEngine({ server }: World, host = 'second') {
  const core = {
    ...server.core,
    host,
    wake: (id: string) => engine.wake(id),
    alarm: (due: number) => engine.alarm(due),
  }
  const engine = createEmbeddedEngine(core, { maxTurns: 10, alone: false })
  await engine.start()
  return { core, engine }
}
