import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { hex } from '../../src/lib/ids.ts'
import { openSqlite } from '../../src/store/drivers/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { TEMPLATE } from '../runner/template.ts'
import { newFolder } from './files.ts'

/** What a test says about the store it says about both. */
export const stores = ['sqlite', 'postgres'] as const
export type StoreKind = (typeof stores)[number]

/** Whether everything is played on both, as in the soak. */
export const playsBoth = process.env.TROUPE_TEST_STORES === 'both'

/**
 * For rules that stand above the store: a file of them is played on one of the two, about as many on each. What stands in
 * the next place of the same file takes the other one. With TROUPE_TEST_STORES=both, as in the soak, it is played on both.
 */
export function storesInTurn(file: string, place = 0): readonly StoreKind[] {
  if (playsBoth) return stores
  const sum = [...basename(file)].reduce((before, letter) => before + letter.charCodeAt(0), place)
  return [stores[sum % stores.length]!]
}

/** Makes a new database in the run's PostgreSQL or in another, with all tables unless it should be empty. */
export async function createDatabase({ empty = false, cluster = inject('postgresUrl') } = {}): Promise<string> {
  const url = `${cluster}/t${hex(8)}`
  await besides(url, (name) => `create database ${name} template ${empty ? 'template1' : TEMPLATE} strategy file_copy`)
  return url
}

let tables: Promise<Buffer> | undefined

/** Puts a SQLite database with all tables there: making the tables takes ten times as long as copying them. */
export async function putSqlite(file: string): Promise<void> {
  tables ??= makeTables()
  writeFileSync(file, await tables, { mode: 0o600 })
}

async function makeTables(): Promise<Buffer> {
  const folder = newFolder()
  try {
    const file = join(folder, 'data.db')
    await (await openSqlite({ file, durability: 'process', now: Date.now })).close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Removes a database that is no longer needed, because a run makes hundreds of them. */
export const dropDatabase = (url: string): Promise<void> =>
  besides(url, (name) => `drop database if exists ${name} with (force)`)

/** Says something about a database to the cluster that it is in. */
async function besides(url: string, statement: (name: string) => string): Promise<void> {
  const client = new pg.Client({ connectionString: new URL('/postgres', url).href })
  await client.connect()
  try {
    await client.query(statement(new URL(url).pathname.slice(1)))
  } finally {
    await client.end()
  }
}

/** Longer than any test keeps a transaction open, even the test that stops a process in the middle of one. */
const SETTLE_MS = 30_000
const LOOK_MS = 5

/**
 * Waits until what was committed before this call can be read: on PostgreSQL readers stop before the oldest transaction
 * that runs anywhere in the cluster, and other tests use the same cluster.
 */
export async function settleEvents(store: Store): Promise<void> {
  if (store.about.kind !== 'postgres') return
  const now = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(store.read)
  const mine = BigInt(now.rows[0]!.xid)
  for (const end = performance.now() + SETTLE_MS; performance.now() < end; await pause(LOOK_MS)) {
    const seen = await sql<{ xmin: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(
      store.read,
    )
    if (BigInt(seen.rows[0]!.xmin) > mine) return
  }
  throw new Error('A transaction in the test cluster stays open.')
}
