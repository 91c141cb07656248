import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { hex } from '../src/lib/ids.ts'
import type { Store } from '../src/store/store.ts'
import { TEMPLATE } from './template.ts'

/** What is said of the store is said of both. */
export const stores = ['sqlite', 'postgres'] as const
export type StoreKind = (typeof stores)[number]

/** A database of its own in the run's PostgreSQL, with its tables unless it is to be empty. */
export async function createDatabase({ empty = false } = {}): Promise<string> {
  const url = inject('postgresUrl')
  const name = `t${hex(8)}`
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  await client.query(`create database ${name} template ${empty ? 'template1' : TEMPLATE} strategy file_copy`)
  await client.end()
  return `${url}/${name}`
}

/**
 * PostgreSQL readers stop before the oldest transaction that runs anywhere in the cluster, and the other tests share it:
 * waits until what was committed before this call can be read.
 */
export async function settleEvents(store: Store): Promise<void> {
  if (store.kind !== 'postgres') return
  const now = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(store.read)
  const mine = BigInt(now.rows[0]!.xid)
  for (let looks = 0; looks < 5000; looks++) {
    const seen = await sql<{ xmin: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(
      store.read,
    )
    if (BigInt(seen.rows[0]!.xmin) > mine) return
  }
  throw new Error('A transaction in the test cluster stays open.')
}
