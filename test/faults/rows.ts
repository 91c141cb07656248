import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Tables } from '../../src/store/tables.ts'
import { eventually } from '../kit/processes.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'

type Row<T extends keyof Tables> = {
  [K in keyof Tables[T]]: Tables[T][K] extends { __select__: infer S } ? S : Tables[T][K]
}

/** Everything a server left in its database, read without any code of the server. */
export type Rows = { readonly [T in (typeof tables)[number]]: readonly Row<T>[] } & {
  /** What the database says of itself; empty when it is sound. */
  readonly damage: readonly string[]
}

export const tables = [
  'sessions',
  'messages',
  'mail',
  'calls',
  'turns',
  'inbox',
  'events',
  'timers',
  'todos',
  'requests',
  'compactions',
  'tasks',
  'subscriptions',
  'runs',
  'nodes',
  'stages',
  'workers',
  'triggers',
  'trigger_fires',
  'budgets',
  'reservations',
  'deliveries',
] as const
const orders: Partial<Record<(typeof tables)[number], string>> = {
  messages: 'session_id, seq',
  mail: 'session_id, position',
  events: 'id',
}
const INT8 = 20
/** Each look is a connection of its own. */
const LOOK_MS = 150
const unfinished = `select (select count(*) from timers) + (select count(*) from sessions
  where turn_id is not null or wanted_at is not null or lease_owner is not null) as count`

export async function readRows(place: FaultPlace): Promise<Rows> {
  const queries = tables.map((table) => [table, `select * from ${table} order by ${orders[table] ?? 1}`] as const)
  const rows: Record<string, unknown> =
    place.databaseUrl === undefined
      ? onSqlite(place, (connection) => ({ ...found(connection, queries), damage: damageOf(connection) }))
      : { ...(await fromPostgres(place.databaseUrl, queries)), damage: [] }
  return rows as Rows
}

/** Until nobody wants, holds or waits for anything any more, also not later. */
export async function rest(place: FaultPlace, life: Life, seconds: number): Promise<void> {
  const look = async (): Promise<true | undefined> => {
    // Only while a server serves: one that starts must find its file alone.
    await life.server()
    return (await atRest(place)) || undefined
  }
  await Promise.race([life.broken, eventually(look, seconds, LOOK_MS)])
  await life.server()
}

async function atRest(place: FaultPlace): Promise<boolean> {
  const query = [['left', unfinished]] as const
  try {
    const { left } =
      place.databaseUrl === undefined
        ? onSqlite(place, (connection) => found(connection, query))
        : await fromPostgres(place.databaseUrl, query)
    return Number((left as { count: number }[])[0]?.count) === 0
  } catch {
    // A file that nobody has repaired yet after a crash.
    return false
  }
}

/** What a dead server holds in a database of many is free. */
export async function endLeases(place: FaultPlace): Promise<void> {
  if (place.databaseUrl === undefined) return
  await fromPostgres(place.databaseUrl, [
    ['leases', 'update sessions set lease_until = 0 where lease_until is not null'],
    ['claims', 'update timers set claimed_until = 0 where claimed_until is not null'],
  ])
}

/** Writes to the database beside the server, as another process or the passing of time would. */
export async function changeRows({ home, databaseUrl }: FaultPlace, statements: string): Promise<void> {
  if (databaseUrl !== undefined) {
    await fromPostgres(databaseUrl, [['changed', statements]])
    return
  }
  const connection = new DatabaseSync(join(home, 'data.db'))
  connection.exec(`pragma busy_timeout = 5000; begin immediate; ${statements}; commit`)
  connection.close()
}

type Queries = readonly (readonly [string, string])[]

function onSqlite<T>(place: FaultPlace, read: (connection: DatabaseSync) => T): T {
  const connection = new DatabaseSync(join(place.home, 'data.db'), { readOnly: true })
  try {
    return read(connection)
  } finally {
    connection.close()
  }
}

const found = (connection: DatabaseSync, queries: Queries): Record<string, unknown> =>
  Object.fromEntries(queries.map(([name, query]) => [name, connection.prepare(query).all()]))

function damageOf(connection: DatabaseSync): string[] {
  const integrity = connection.prepare('pragma integrity_check').all()
  const dangling = connection.prepare('pragma foreign_key_check').all()
  return [
    ...integrity.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok'),
    ...dangling.map((row) => JSON.stringify(row)),
  ]
}

async function fromPostgres(url: string, queries: Queries): Promise<Record<string, unknown>> {
  const types = new pg.TypeOverrides()
  types.setTypeParser(INT8, Number)
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  try {
    const rows: Record<string, unknown> = {}
    for (const [name, query] of queries) rows[name] = (await client.query(query)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** What belongs to some sessions alone. */
export function rowsOf(rows: Rows, ids: ReadonlySet<string>): Rows {
  const own = <T extends { session_id: string | null }>(table: readonly T[]) =>
    table.filter((row) => row.session_id !== null && ids.has(row.session_id))
  return {
    damage: rows.damage,
    sessions: rows.sessions.filter(({ id }) => ids.has(id)),
    messages: own(rows.messages),
    mail: own(rows.mail),
    calls: own(rows.calls),
    turns: own(rows.turns),
    inbox: own(rows.inbox),
    events: own(rows.events),
    timers: own(rows.timers),
    todos: own(rows.todos),
    requests: own(rows.requests),
    compactions: own(rows.compactions),
    tasks: own(rows.tasks),
    subscriptions: own(rows.subscriptions),
    runs: own(rows.runs),
    nodes: rows.nodes,
    stages: rows.stages,
    workers: own(rows.workers),
    triggers: rows.triggers,
    trigger_fires: rows.trigger_fires,
    budgets: rows.budgets,
    reservations: own(rows.reservations),
    deliveries: rows.deliveries,
  }
}
