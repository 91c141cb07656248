import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Kysely, type KyselyPlugin, type SqliteDatabase, SqliteDialect } from 'kysely'
import type { Db, Tables } from '../tables.ts'

const STATEMENTS_KEPT = 500

interface Statement {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): ReturnType<StatementSync['run']>
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
}

/** Gives the statement for an SQL text, prepared once; SQLite runs it without a promise. */
type Direct = (sql: string) => Statement

const directs = new WeakMap<Db, Direct>()

/** Runs statements without going through Kysely, on databases that can. */
export const directOf = (db: Db): Direct | undefined => directs.get(db)

/** Kysely over node:sqlite. Statements are prepared once and kept. */
export function kyselyOver(
  connection: DatabaseSync,
  beforeEach: () => void,
  plugins: readonly KyselyPlugin[] = [],
): Db {
  const kept = new Map<string, Statement>()
  const prepare: Direct = (sql) => {
    beforeEach()
    let found = kept.get(sql)
    if (found === undefined) {
      if (kept.size >= STATEMENTS_KEPT) kept.delete(kept.keys().next().value!)
      found = statement(connection.prepare(sql))
      kept.set(sql, found)
    }
    return found
  }
  const database: SqliteDatabase = { close: () => {}, prepare }
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }), plugins: [...plugins] })
  directs.set(db, prepare)
  return db
}

type Values = Parameters<StatementSync['all']>
type Row = Record<string, unknown>

function statement(prepared: StatementSync): Statement {
  const reader = prepared.columns().length > 0
  if (reader) prepared.setReturnArrays(true)
  let names: string[] = []
  let blank: Row = {}
  // A row that grows field by field is slow to make and to copy; a copy of a blank row has its shape at once.
  const toRow = (values: readonly unknown[]): Row => {
    if (names.length !== values.length) [names, blank] = shapeOf(prepared)
    const row = { ...blank }
    for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at]
    return row
  }
  const arrays = (parameters: readonly unknown[]) =>
    prepared.all(...(parameters as Values)) as unknown as readonly (readonly unknown[])[]
  return {
    reader,
    all: (parameters) => arrays(parameters).map(toRow),
    run: (parameters) => prepared.run(...(parameters as Values)),
    *iterate(parameters) {
      const rows = prepared.iterate(...(parameters as Values)) as unknown as Iterable<readonly unknown[]>
      for (const values of rows) yield toRow(values)
    },
  }
}

function shapeOf(prepared: StatementSync): [string[], Row] {
  const names = prepared.columns().map(({ name }) => name)
  return [names, JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as Row]
}
