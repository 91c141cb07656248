import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Tables } from '../../src/store/tables.ts'
import type { Place } from './place.ts'

type Row<T extends keyof Tables> = {
  [K in keyof Tables[T]]: Tables[T][K] extends { __select__: infer S } ? S : Tables[T][K]
}

/** Everything a server left in its database, read without any code of the server. */
export type Rows = { readonly [T in (typeof tables)[number]]: readonly Row<T>[] } & {
  /** What the database says of itself; empty when it is sound. */
  readonly damage: readonly string[]
}

const tables = ['sessions', 'messages', 'mail', 'calls', 'turns', 'inbox', 'events', 'timers', 'todos'] as const
const orders: Partial<Record<(typeof tables)[number], string>> = {
  messages: 'session_id, seq',
  mail: 'session_id, position',
  events: 'id',
}
const INT8 = 20

export async function readRows(place: Place): Promise<Rows> {
  const queries = tables.map((table) => [table, `select * from ${table} order by ${orders[table] ?? 1}`] as const)
  return (
    place.databaseUrl === undefined ? fromSqlite(place, queries) : await fromPostgres(place.databaseUrl, queries)
  ) as Rows
}

function fromSqlite(place: Place, queries: readonly (readonly [string, string])[]): Record<string, unknown> {
  const connection = new DatabaseSync(join(place.home, 'data.db'), { readOnly: true })
  try {
    const found = Object.fromEntries(queries.map(([table, query]) => [table, connection.prepare(query).all()]))
    const integrity = connection
      .prepare('pragma integrity_check')
      .all()
      .map((row) => String(row.integrity_check))
    const dangling = connection
      .prepare('pragma foreign_key_check')
      .all()
      .map((row) => JSON.stringify(row))
    return { ...found, damage: [...integrity.filter((line) => line !== 'ok'), ...dangling] }
  } finally {
    connection.close()
  }
}

async function fromPostgres(
  url: string,
  queries: readonly (readonly [string, string])[],
): Promise<Record<string, unknown>> {
  const types = new pg.TypeOverrides()
  types.setTypeParser(INT8, Number)
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  try {
    const found: Record<string, unknown> = { damage: [] }
    for (const [table, query] of queries) found[table] = (await client.query(query)).rows
    return found
  } finally {
    await client.end()
  }
}
