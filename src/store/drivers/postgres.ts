import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { AppError } from '../../contract/errors.ts'
import type { Mask } from '../../lib/mask.ts'
import { badCursor, choices, type EventFilter, eventValues, expired, type StoredEvent, toEvents } from '../events.ts'
import { currentVersion, migrateOne, schemaVersion } from '../migrations/index.ts'
import { assertOutsideTransaction, type Store, transactionScope } from '../store.ts'
import type { Db, Tables } from '../tables.ts'
import { masking } from './masking.ts'

/** Any constant works; every troupe that migrates takes the same one. */
const MIGRATION_LOCK = 7_262_108_155
const INT8 = 20
/** A process that stands still inside a transaction loses its locks after this time, so that another can take over. */
const PAUSED_MS = 6000

export interface PostgresOptions {
  readonly url: string
  readonly now: () => number
  readonly connections?: number
  /** Hides secrets in what is written. */
  readonly mask?: Mask
}

export async function openPostgres({ url, now, connections = 10, mask }: PostgresOptions): Promise<Store> {
  const types = new pg.TypeOverrides()
  // Counters and milliseconds stay below 2^53.
  types.setTypeParser(INT8, Number)
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    connectionTimeoutMillis: 10_000,
    idle_in_transaction_session_timeout: PAUSED_MS,
  })
  // A dropped idle connection is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: mask ? [masking(mask)] : [] })

  await connect(db)
  await migrate(db, now)

  const snapshot: Store['snapshot'] = (work) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        const row = await sql<{ seen: string }>`select pg_current_snapshot()::text as seen`.execute(tx)
        return { value: await work(tx), seq: snapshotCursor(row.rows[0]!.seen) }
      })

  return {
    about: { kind: 'postgres' },
    alone: false,
    get read() {
      assertOutsideTransaction()
      return db
    },
    write(work) {
      assertOutsideTransaction()
      return transactionScope.run(Symbol(), () =>
        db
          .transaction()
          .setIsolationLevel('read committed')
          .execute(work)
          .catch((error: unknown) => Promise.reject(translate(error))),
      )
    },
    snapshot,
    aside: snapshot,
    async appendEvents(tx, events) {
      if (events.length > 0) await tx.insertInto('events').values(events.map(eventValues)).execute()
    },
    readEvents: (filter) => settledEvents(db, filter),
    async latestSeq() {
      const row = await sql<{ seen: string }>`select pg_current_snapshot()::text as seen`.execute(db)
      return snapshotCursor(row.rows[0]!.seen)
    },
    async now(tx) {
      const row = await sql<{
        now: number
      }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(tx)
      return row.rows[0]!.now
    },
    async backup() {
      throw new AppError('backup.failed', 'The store is PostgreSQL, which has its own backups.', {
        hint: 'Use pg_dump on the database that TROUPE_DATABASE_URL names.',
      })
    },
    close: () => db.destroy(),
  }
}

/**
 * A cursor is `xid.id`, or `xid.id~snapshot` while transactions that the snapshot had already seen lie ahead. Their
 * events are left out, so that the snapshot and the later events together hold each change exactly once.
 */
interface Cursor {
  readonly xid: bigint
  readonly id: bigint
  readonly seen: string | undefined
}

const snapshotCursor = (seen: string): string => `${seen.split(':')[0]}.0~${seen}`

function parseCursor(after: string | undefined): Cursor {
  if (after === undefined) return { xid: 0n, id: 0n, seen: undefined }
  const match = /^(\d{1,20})\.(\d{1,19})(?:~(\d+:\d+:[\d,]*))?$/.exec(after)
  if (match === null || after.length > 20_000) throw badCursor(after)
  return { xid: BigInt(match[1]!), id: BigInt(match[2]!), seen: match[3] }
}

const showCursor = ({ xid, id, seen }: Cursor): string => {
  const passed = seen === undefined || xid >= BigInt(seen.split(':')[1]!)
  return passed ? `${xid}.${id}` : `${xid}.${id}~${seen}`
}

/** Rows are read up to the oldest running transaction only, so a late commit is never skipped. */
async function settledEvents(db: Db, filter: EventFilter) {
  const cursor = parseCursor(filter.after)
  const conditions = [
    sql`(e.xid, e.id) > (${String(cursor.xid)}::xid8, ${String(cursor.id)}::bigint)`,
    sql`e.xid < h.xmin`,
  ]
  if (cursor.seen !== undefined) conditions.push(sql`not pg_visible_in_snapshot(e.xid, ${cursor.seen}::pg_snapshot)`)
  for (const [name, column] of choices) {
    const wanted = filter[name]
    if (wanted !== undefined) conditions.push(sql`e.${sql.ref(column)} = ${wanted}`)
  }
  if (filter.types !== undefined) conditions.push(sql`e.type = any(${[...filter.types]})`)

  interface Row extends Omit<StoredEvent, 'seq'> {
    xid: string
    id: string
    xmin: string
    xmax: string
    removed: string
    missed: boolean
  }
  const seen = cursor.seen === undefined ? sql`false` : sql`pg_visible_in_snapshot(r.xid, ${cursor.seen}::pg_snapshot)`
  const { rows } = await sql<Row>`
    with h as materialized (
      select pg_snapshot_xmin(now) as xmin, pg_snapshot_xmax(now) as xmax, r.xid || '.' || r.id as removed,
        (r.xid, r.id) > (${String(cursor.xid)}::xid8, ${String(cursor.id)}::bigint) and not ${seen} as missed
      from pg_current_snapshot() now, events_removed r
    ),
    found as (
      select e.* from events e, h where ${sql.join(conditions, sql` and `)} order by e.xid, e.id limit ${filter.limit}
    )
    select found.xid::text, found.id::text, found.at, found.type, found.project_id, found.session_id, found.task_id,
      found.run_id, found.node_id, found.data, h.xmin::text, h.xmax::text, h.removed, h.missed
    from h left join found on true order by found.xid, found.id`
    .execute(db)
    .catch((error) => {
      throw isOutOfBounds(error) ? badCursor(filter.after ?? '') : error
    })
  const { xmin, xmax, removed, missed } = rows[0]!
  // A cursor ahead of every transaction comes from another database.
  if (cursor.xid > BigInt(xmax)) throw badCursor(filter.after ?? '')
  if (filter.after !== undefined && missed) throw expired(removed)

  const stored = rows
    .filter((row) => row.id !== null)
    .map((row) => ({ ...row, seq: showCursor({ xid: BigInt(row.xid), id: BigInt(row.id), seen: cursor.seen }) }))
  const horizon = BigInt(xmin)
  const position = horizon > cursor.xid ? { xid: horizon, id: 0n, seen: cursor.seen } : cursor
  const full = stored.length === filter.limit
  return { items: toEvents(stored), full, seq: full ? stored.at(-1)!.seq : showCursor(position) }
}

/** PostgreSQL does not accept the text as a number or a snapshot. */
const isOutOfBounds = (error: { code?: string }): boolean => error.code === '22P02' || error.code === '22003'

async function connect(db: Db): Promise<void> {
  try {
    await sql`select 1`.execute(db)
  } catch (error) {
    await db.destroy()
    // The address holds a password: the message names the variable instead.
    throw new AppError('store.version', 'The PostgreSQL database could not be reached.', {
      hint: `Check TROUPE_DATABASE_URL (store.url) and that the server runs: ${error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown'}.`,
    })
  }
}

async function migrate(db: Db, now: () => number): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`.execute(connection)
    try {
      const from = await connection.transaction().execute(currentVersion)
      for (let version = from; version < schemaVersion; version++) {
        await connection.transaction().execute((tx) => migrateOne(tx, 'postgres', version, now()))
      }
    } finally {
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK}::bigint)`.execute(connection)
    }
  })
}

const DISK_FULL = '53100'

function translate(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== DISK_FULL) return error
  return new AppError('store.full', 'The disk of the PostgreSQL server is full; nothing was written.', {
    hint: 'Free some space there; work goes on by itself.',
    cause: error,
  })
}
