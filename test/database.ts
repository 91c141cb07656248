import pg from 'pg'
import { inject } from 'vitest'
import { hex } from '../src/lib/ids.ts'

/** What is said of the store is said of both. */
export const stores = ['sqlite', 'postgres'] as const
export type StoreKind = (typeof stores)[number]

/** A database of its own in the run's PostgreSQL. */
export async function createDatabase(): Promise<string> {
  const url = inject('postgresUrl')
  const name = `t${hex(8)}`
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return `${url}/${name}`
}
