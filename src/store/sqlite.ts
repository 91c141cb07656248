import { chmodSync, existsSync } from 'node:fs'
import { backup as backupDatabase, DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely'
import { AppError } from '../contract/errors.ts'
import { lock } from '../lib/lock.ts'
import { badCursor, type EventFilter, eventValues, toEvent } from './events.ts'
import { atMost } from './limit.ts'
import { currentVersion, migrateOne, schemaVersion } from './migrations.ts'
import { prepared } from './prepared.ts'
import { assertOutsideTransaction, type Store, transactionScope } from './store.ts'
import type { Db, Tables } from './tables.ts'

export interface SqliteOptions {
  readonly file: string
  /** process: survives any crash of the program. power: also a power cut, at a sync per commit. */
  readonly durability: 'process' | 'power'
  readonly now: () => number
}

const STATEMENTS_KEPT = 500

export async function openSqlite({ file, durability, now }: SqliteOptions): Promise<Store> {
  const connection = new DatabaseSync(file)
  checkVersion(sqliteVersion(connection))
  if (file !== ':memory:') chmodSync(file, 0o600)
  connection.exec(`
    pragma journal_mode = wal; pragma foreign_keys = on; pragma busy_timeout = 5000;
    pragma synchronous = ${durability === 'power' ? 'full' : 'normal'};
    pragma journal_size_limit = 67108864; pragma cache_size = -16000;`)

  let open: symbol | undefined
  const writer = kyselyOver(connection, () => {
    if (open === undefined || transactionScope.getStore() !== open) {
      throw new Error('The writing connection was used outside its transaction.')
    }
  })
  const turn = lock()

  const write = <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    assertOutsideTransaction()
    return turn(() => {
      const scope = Symbol()
      return transactionScope.run(scope, async () => {
        connection.exec('begin immediate')
        open = scope
        try {
          const value = await work(writer)
          connection.exec('commit')
          return value
        } catch (error) {
          if (connection.isTransaction) connection.exec('rollback')
          throw translate(error)
        } finally {
          open = undefined
        }
      })
    })
  }

  await migrate(write, file, now)

  const reading = openReader(file)
  // A snapshot stays open across awaits, so it has a connection of its own: other reads must see the newest commit.
  let snapshotting: ReturnType<typeof openReader> | undefined
  const snapshotTurn = lock()

  const reader = reading.db

  return {
    kind: 'sqlite',
    get read() {
      assertOutsideTransaction()
      return reader
    },
    write,
    snapshot: (work) =>
      snapshotTurn(async () => {
        snapshotting ??= openReader(file)
        snapshotting.connection.exec('begin')
        try {
          const seq = await latestSeq(snapshotting.db)
          return { seq, value: await work(snapshotting.db) }
        } finally {
          snapshotting.connection.exec('commit')
        }
      }),
    async appendEvents(db, events) {
      if (events.length > 0) await insertEvents(db, events.map(eventValues))
    },
    async readEvents(filter: EventFilter) {
      const after = filter.after === undefined ? 0 : Number(filter.after)
      if (!Number.isSafeInteger(after) || after < 0) throw badCursor(filter.after ?? '')
      const newest = Number(await latestSeq(reader))
      let query = reader
        .selectFrom('events')
        .select(['id', 'at', 'type', 'project_id', 'session_id', 'data'])
        .where('id', '>', after)
        .where('id', '<=', newest)
        .orderBy('id')
        .limit(atMost(filter.limit))
      if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId)
      if (filter.project !== undefined) query = query.where('project_id', '=', filter.project)
      if (filter.types !== undefined) query = query.where('type', 'in', [...filter.types])
      const rows = await query.execute()
      const items = rows.map((row) => toEvent({ ...row, seq: String(row.id) }))
      return { items, seq: rows.length === filter.limit ? items.at(-1)!.seq : String(Math.max(newest, after)) }
    },
    latestSeq: () => latestSeq(reader),
    now: async () => now(),
    async backup(target) {
      await copyDatabase(file, target)
    },
    async close() {
      await turn(async () => {
        reading.connection.close()
        snapshotting?.connection.close()
        connection.close()
      })
    },
  }
}

const insertEvents = prepared((db, rows: ReturnType<typeof eventValues>[]) => db.insertInto('events').values(rows))

function openReader(file: string): { connection: DatabaseSync; db: Db } {
  const connection = new DatabaseSync(file, { readOnly: true })
  connection.exec('pragma busy_timeout = 5000; pragma cache_size = -16000;')
  return { connection, db: kyselyOver(connection, () => {}) }
}

async function latestSeq(db: Db): Promise<string> {
  const row = await db.selectFrom('events').select(db.fn.max('id').as('id')).executeTakeFirst()
  return String(row?.id ?? 0)
}

/** Runs beside the writer, from a connection of its own; the copy is the owner's alone. */
async function copyDatabase(file: string, target: string): Promise<void> {
  const source = new DatabaseSync(file)
  try {
    source.exec('pragma busy_timeout = 5000')
    await backupDatabase(source, target, { rate: 1000 })
    chmodSync(target, 0o600)
  } finally {
    source.close()
  }
}

/** The WAL-reset bug corrupts databases with several connections; the loaded library is asked, not the build. */
export function checkVersion(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const safe =
    major > 3 ||
    (major === 3 &&
      (minor > 51 || (minor === 51 && patch >= 3) || (minor === 50 && patch >= 7) || (minor === 44 && patch >= 6)))
  if (safe) return
  throw new AppError('store.version', `SQLite ${version} can corrupt a database under load (WAL-reset bug).`, {
    hint: 'Use a Node.js whose SQLite is 3.51.3 or newer, for example Node 24.15 or newer from nodejs.org.',
  })
}

export function sqliteVersion(connection: DatabaseSync): string {
  return String(connection.prepare('select sqlite_version() as version').get()?.version)
}

async function migrate(write: Store['write'], file: string, now: () => number): Promise<void> {
  const from = await write(currentVersion)
  if (from > 0 && from < schemaVersion && existsSync(file)) {
    await copyDatabase(file, `${file}.before-${from}-to-${schemaVersion}`)
  }
  for (let version = from; version < schemaVersion; version++) {
    await write((db) => migrateOne(db, 'sqlite', version, now()))
  }
}

/** Kysely speaks to anything shaped like a SQLite database; statements are prepared once and kept. */
function kyselyOver(connection: DatabaseSync, beforeEach: () => void): Db {
  const kept = new Map<string, ReturnType<typeof statement>>()
  const database: SqliteDatabase = {
    close: () => {},
    prepare(sql) {
      beforeEach()
      let found = kept.get(sql)
      if (found === undefined) {
        if (kept.size >= STATEMENTS_KEPT) kept.delete(kept.keys().next().value!)
        found = statement(connection.prepare(sql))
        kept.set(sql, found)
      }
      return found
    },
  }
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
}

function statement(prepared: StatementSync) {
  const reader = prepared.columns().length > 0
  type Values = Parameters<StatementSync['all']>
  return {
    reader,
    all: (parameters: readonly unknown[]) => prepared.all(...(parameters as Values)),
    run: (parameters: readonly unknown[]) => prepared.run(...(parameters as Values)),
    iterate: (parameters: readonly unknown[]) =>
      prepared.iterate(...(parameters as Values)) as IterableIterator<unknown>,
  }
}

const SQLITE_FULL = 13

function translate(error: unknown): unknown {
  if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_FULL) {
    return new AppError('store.full', 'The disk that holds the data folder is full; nothing was written.', {
      hint: 'Free some space; work goes on by itself.',
      cause: error,
    })
  }
  return error
}
