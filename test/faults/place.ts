import type { StoreKind } from '../kit/database.ts'
import { bin } from '../kit/desk.ts'
import { openPlace, type Place, type PlaceOptions } from '../kit/place.ts'
import { type Launched, launch } from './server.ts'

/** A place where servers run as processes of their own. */
export interface FaultPlace extends Place {
  readonly store: StoreKind
  /** Starts a server here; whatever still runs when the work is over is killed. */
  launch(env?: Record<string, string>): Launched
}

export async function inPlace<T>(
  store: StoreKind,
  work: (place: FaultPlace) => Promise<T>,
  more: Record<string, unknown> = {},
  reached: Pick<PlaceOptions, 'cluster' | 'wire' | 'provider'> = {},
): Promise<T> {
  const files = { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' }
  // The vendor's memory of what it was asked must not grow with a flood.
  const settings = { permissions: { allow: ['bash', 'memory_write(user:*)'] }, ...more }
  const place = await openPlace({ store, files, settings, keep: 200, ...reached })
  const servers = new Set<Launched>()
  try {
    return await work({
      ...place,
      store,
      launch(env = {}) {
        const server = launch(bin, place.project, { ...place.env, TROUPE_HOME: place.home, ...env })
        servers.add(server)
        void server.exited.finally(() => servers.delete(server))
        return server
      },
    })
  } finally {
    for (const server of servers) server.signal('SIGKILL')
    await Promise.all([...servers].map(({ exited }) => exited))
    await place.close()
  }
}
