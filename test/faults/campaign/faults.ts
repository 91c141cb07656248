import { cpSync, mkdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { StoreKind } from '../../kit/database.ts'
import type { createWire } from '../../kit/wire.ts'
import { createClient } from '../client.ts'
import { endless, peakOf } from '../endless.ts'
import { hasHoles } from '../invariants.ts'
import { type Life, startLife } from '../life.ts'
import type { FaultPlace } from '../place.ts'
import { endLeases, readRows, rest } from '../rows.ts'
import type { Cluster } from './cluster.ts'
import type { Kind } from './load.ts'
import { tally } from './witness.ts'

/** All that a fault can be done to. */
export interface Ring {
  readonly place: FaultPlace
  readonly life: Life
  /** The second server, where a fault wants one. */
  readonly other: Life | undefined
  readonly wire: ReturnType<typeof createWire>
  readonly cluster: Cluster | undefined
  /** What is wrong in the eyes of one who looks at this fault alone. */
  readonly wrong: string[]
  /** Whether there is time: leases run out by themselves, and outages last. */
  readonly long: boolean
  random(): number
  /** Resolves when the model was asked so many times more, by whomever. */
  heard(times: number): Promise<unknown>
  /** The model's vendor fails until then. */
  down(until: number): void
  /** Done when the server has died and before the next is started. */
  onDeath(work: () => void): void
}

export interface Fault {
  readonly name: string
  readonly stores: readonly StoreKind[]
  /** How often, in the soak by store, and in the short form. */
  readonly times: Readonly<Record<StoreKind | 'short', number>>
  readonly sessions?: number
  /** What the agents are told to do meanwhile; everything but naps unless said. */
  readonly kinds?: readonly Kind[]
  /** The environment of a second server on the same database, after it was replaced so often. */
  readonly other?: (times: number) => Record<string, string>
  /** Does it once. */
  strike(ring: Ring, time: number): Promise<void>
}

const both = ['sqlite', 'postgres'] as const
const postgres = ['postgres'] as const
const LEASE_MS = 15_000
const CLOCK_MS = 600_000
const WAL_CUTS = 5
const REST_SECONDS = 120
const PEAK_MB = 400
const FULL_MS = 1000
const FULL_TRIES = 1000

export const faults: readonly Fault[] = [
  // First, and without commands: a copy goes on in the same project, where one would have its effect a second time.
  {
    name: 'cut WAL',
    stores: ['sqlite'],
    times: { sqlite: 150 / WAL_CUTS, postgres: 0, short: 1 },
    kinds: ['say', 'read', 'list', 'ask'],
    strike: cutWals,
  },
  {
    name: 'kill -9',
    stores: both,
    times: { sqlite: 110, postgres: 42, short: 1 },
    strike: ({ life }) => life.kill(),
  },
  {
    name: 'SIGTERM',
    stores: both,
    times: { sqlite: 32, postgres: 32, short: 1 },
    strike: ({ life }) => life.kill('SIGTERM'),
  },
  {
    name: 'fast restart of the database',
    stores: postgres,
    times: { sqlite: 0, postgres: 12, short: 1 },
    strike: async ({ cluster }) => cluster?.restart('fast'),
  },
  {
    name: 'kill -9 of the database',
    stores: postgres,
    times: { sqlite: 0, postgres: 12, short: 1 },
    strike: async ({ cluster }) => cluster?.restart('kill'),
  },
  {
    name: 'connection cut at COMMIT',
    stores: postgres,
    times: { sqlite: 0, postgres: 120, short: 2 },
    strike: ({ wire }, time) => wire.cutAtCommit(time % 2 === 0 ? 'before' : 'after'),
  },
  {
    name: 'all connections cut',
    stores: postgres,
    times: { sqlite: 0, postgres: 60, short: 1 },
    strike: async ({ wire }) => wire.cut(),
  },
  {
    name: 'SIGSTOP past the lease',
    stores: postgres,
    times: { sqlite: 0, postgres: 6, short: 1 },
    other: () => ({}),
    async strike({ place, life, long, heard }) {
      life.signal('SIGSTOP')
      if (long) await pause(LEASE_MS)
      else await endLeases(place)
      // The other one has begun to go on with what the paused one had.
      await heard(3)
      life.signal('SIGCONT')
    },
  },
  {
    name: 'clocks 600 s apart',
    stores: postgres,
    times: { sqlite: 0, postgres: 8, short: 1 },
    kinds: ['say', 'write', 'ask', 'nap'],
    other: (times) => ({ TROUPE_FAULT_CLOCK_MS: String(times % 2 === 0 ? CLOCK_MS : -CLOCK_MS) }),
    strike: async ({ other, long, heard }) => {
      const some = long ? 10 : 2
      await heard(some)
      await other?.kill('SIGTERM')
      await heard(some)
    },
  },
  {
    name: 'outage of the vendor',
    stores: both,
    times: { sqlite: 1, postgres: 1, short: 1 },
    sessions: 60,
    async strike({ long, down, heard }) {
      const ms = long ? 30_000 : 1500
      down(performance.now() + ms)
      await pause(ms)
      await heard(1)
    },
  },
  // The short forms of the next two are tests of their own, beside this folder: endless.test.ts and full.test.ts.
  {
    name: 'six endless answers',
    stores: both,
    times: { sqlite: 3, postgres: 3, short: 0 },
    async strike({ place, life, wrong }, time) {
      const client = createClient(life)
      wrong.push(...(await endless(place, client, `${time} `)))
      const peak = peakOf((await life.server()).pid)
      if (peak > PEAK_MB) wrong.push(`the server took ${peak} MB`)
    },
  },
  {
    name: 'full disk',
    stores: both,
    times: { sqlite: 8, postgres: 8, short: 0 },
    async strike({ place, life, wrong }) {
      const toggle = async (on: boolean): Promise<void> =>
        place.databaseUrl === undefined ? life.signal('SIGUSR2') : fillPostgres(place.databaseUrl, on)
      await toggle(true)
      if (!(await isToldFull(life))) wrong.push(`nobody was told of the full disk in ${FULL_TRIES} requests`)
      await pause(FULL_MS)
      await toggle(false)
    },
  },
]

/** Copies of what a killed server left, each with its log cut somewhere, start and come to rest as if nothing had been. */
async function cutWals({ place, life, random, long, onDeath, wrong: found }: Ring, time: number): Promise<void> {
  const homes = Array.from({ length: long ? WAL_CUTS : 1 }, (_, copy) => join(place.home, '..', `cut-${time}-${copy}`))
  onDeath(() => {
    for (const home of homes) {
      mkdirSync(home)
      for (const file of ['data.db', 'data.db-wal', 'settings.json', 'host'])
        cpSync(join(place.home, file), join(home, file))
      const wal = join(home, 'data.db-wal')
      truncateSync(wal, Math.floor(random() * statSync(wal).size))
    }
  })
  await life.kill()
  await life.server()
  for (const home of homes) {
    const copy = { ...place, home }
    const its = startLife({ ...copy, launch: (env) => place.launch({ ...env, TROUPE_HOME: home }) }, { limit: 0 })
    await rest(copy, its, REST_SECONDS)
    const exit = await its.stop()
    const rows = await readRows(copy)
    const { lost, twice, errors, wrong } = tally(everyone(rows), rows, [])
    if (exit.code !== 0) found.push(`the server of a copy ended with ${exit.code}: ${exit.stderr}`)
    if (hasHoles(rows)) found.push('the events of a copy have holes')
    found.push(...[...lost, ...twice, ...errors, ...wrong].map((sentence) => `a copy: ${sentence}`))
  }
}

/** What a database says that was acknowledged: who reads a copy knows no more. */
const everyone = ({ sessions, mail }: Awaited<ReturnType<typeof readRows>>) => ({
  sessions: sessions.map(({ id, client_id }) => ({ id, clientId: client_id ?? '' })),
  mail: mail.flatMap(({ id, session_id, client_id, content }) =>
    client_id === null ? [] : [{ sessionId: session_id ?? '', mailId: id, clientId: client_id, content }],
  ),
  answers: [],
})

/** A file that may not grow has some room left in its pages; then whoever wants to write is refused. */
async function isToldFull(life: Life): Promise<boolean> {
  const { url, token } = await life.server()
  for (let tries = 0; tries < FULL_TRIES; tries += 1) {
    const { status } = await fetch(`${url}/api/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'coder' }),
    })
    if (status === 507) return true
  }
  return false
}

/** On a server of its own the database says in its own way that its disk is full. */
async function fillPostgres(url: string, on: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const statements = on
    ? `create function full_disk() returns trigger language plpgsql as $$
         begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
       create trigger full_disk before insert on events execute function full_disk()`
    : 'drop trigger full_disk on events; drop function full_disk'
  await client.query(statements).finally(() => client.end())
}
