import { type Connection, Unreachable } from './connection.ts'

const MOST = 40

interface Entry {
  readonly digest: string
  readonly connection: Connection
}

/** The connections there are. Whoever is shut in alike shares one. */
export interface Pool {
  get(key: string, digest: string, make: () => Connection): Connection
  of(digest: string): Connection[]
  /** Closes all to this server; the next use makes a new one. */
  drop(digest: string): Promise<void>
  close(): Promise<void>
}

export function createPool(): Pool {
  const entries = new Map<string, Entry>()

  /** Makes room by closing what nobody has used for longest. */
  function makeRoom(): void {
    if (entries.size < MOST) return
    const [oldest] = [...entries]
      .filter(([, { connection }]) => connection.busy === 0)
      .sort(([, a], [, b]) => a.connection.usedAt - b.connection.usedAt)
    if (oldest === undefined) throw new Unreachable(`${MOST} servers are in use already; try again later`)
    entries.delete(oldest[0])
    void oldest[1].connection.close()
  }

  return {
    get(key, digest, make) {
      const known = entries.get(key)
      if (known) return known.connection
      makeRoom()
      const connection = make()
      entries.set(key, { digest, connection })
      return connection
    },
    of: (digest) => [...entries.values()].flatMap((entry) => (entry.digest === digest ? [entry.connection] : [])),
    async drop(digest) {
      const gone = [...entries].filter(([, entry]) => entry.digest === digest)
      for (const [key] of gone) entries.delete(key)
      await Promise.all(gone.map(([, { connection }]) => connection.close()))
    },
    async close() {
      const all = [...entries.values()]
      entries.clear()
      await Promise.all(all.map(({ connection }) => connection.close()))
    },
  }
}
