import type { DatabaseSync } from 'node:sqlite'
import { Kysely, type KyselyPlugin, type SqliteDatabase, SqliteDialect } from 'kysely'
import type { Db, Tables } from '../tables.ts'
import { wordTable } from '../words.ts'
import { type Statement, statementsOf } from './statement.ts'

const STATEMENTS_KEPT = 500

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
  const statement = statementsOf(connection, wordTable)
  const prepare: Direct = (sql) => {
    beforeEach()
    let found = kept.get(sql)
    if (found === undefined) {
      if (kept.size >= STATEMENTS_KEPT) kept.delete(kept.keys().next().value!)
      found = statement(sql)
      kept.set(sql, found)
    }
    return found
  }
  const database: SqliteDatabase = { close: () => {}, prepare }
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }), plugins: [...plugins] })
  directs.set(db, prepare)
  return db
}
