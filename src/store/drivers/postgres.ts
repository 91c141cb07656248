import { type ControlledTransaction, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { AppError } from '../../contract/errors.ts'
import type { Mask } from '../../lib/mask.ts'
import { badCursor, choices, type EventFilter, eventValues, expired, type StoredEvent, toEvents } from '../events.ts'
import { databasePlace, inLife, otherLife, positionIn, settleLife } from '../lives.ts'
import { migrateOne, migrationsIn } from '../migrations/index.ts'
import { assertOutsideTransaction, type Store, transactionScope, troubleWatch } from '../store.ts'
import type { Db, Tables } from '../tables.ts'
import { databaseClock } from './database-clock.ts'
import { masking } from './masking.ts'
import {
  away,
  isAway,
  patiently,
  READ_PATIENCE_MS,
  readingPool,
  tellAway,
  unknownEnd,
  watchConnection,
} from './outage.ts'
import { prepared } from './prepared.ts'
import { rowLook } from './row-look.ts'
import { unreachableStore } from './unreachable.ts'
import { beginWired, noteTaken } from './wire.ts'

/** Any constant works; every troupe that migrates takes the same one. */
const MIGRATION_LOCK = 7_262_108_155
const INT8 = 20
/** A process that stands still inside a transaction loses its locks after this time, so that another can take over. */
const PAUSED_MS = 6000

interface PostgresOptions {
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
    pipeline: true,
    connectionTimeoutMillis: 10_000,
    idle_in_transaction_session_timeout: PAUSED_MS,
  })
  // The pool replaces a connection that breaks while nobody uses it; without a listener that would end the process.
  pool.on('error', () => {})
  const look = rowLook()
  pool.on('connect', (client) => watchConnection(client, look.over))
  const connectTold = () => pool.connect().then(noteTaken, tellAway)
  const told = { options: pool.options, connect: connectTold, end: () => pool.end() }
  const plugins = mask ? [masking(mask)] : []
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: told }), plugins })
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: readingPool(pool, look.over) }) })

  await connect(db)
  const life = await migrate(db, now)
  await look.learn(read)

  const clock = databaseClock(now)
  await clock.ask(read)
  const { trouble, watch } = troubleWatch(clock.now)

  const snapshot: Store['snapshot'] = (work) => {
    const transaction = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    const look = () =>
      transaction.execute(async (tx) => {
        const row = await sql<{ seen: string }>`select pg_current_snapshot()::text as seen`.execute(tx)
        return { value: await work(tx), seq: inLife(life, snapshotCursor(row.rows[0]!.seen)) }
      })
    return patiently(look, READ_PATIENCE_MS)
  }

  return {
    about: { kind: 'postgres' },
    alone: false,
    get read() {
      assertOutsideTransaction()
      return read
    },
    write(work) {
      assertOutsideTransaction()
      return transactionScope.run(Symbol(), () =>
        watch(() => patiently(() => writeOnce(db, work)).catch((error: unknown) => Promise.reject(translate(error)))),
      )
    },
    snapshot,
    aside: snapshot,
    async appendEvents(tx, events) {
      if (events.length === 0) return
      const rows = await insertEvents(tx, events.map(eventValues))
      xids.set(tx, rows[0]!.xid)
    },
    readEvents: (filter) => settledEvents(read, filter, life),
    async latestSeq() {
      const row = await sql<{ seen: string }>`select pg_current_snapshot()::text as seen`.execute(read)
      return inLife(life, snapshotCursor(row.rows[0]!.seen))
    },
    now: clock.ask,
    time: clock.now,
    trouble,
    close: () => db.destroy(),
  }
}

const insertEvents = prepared((db, rows: ReturnType<typeof eventValues>[]) =>
  db.insertInto('events').values(rows).returning(sql<string>`xid::text`.as('xid')),
)

/** The number that PostgreSQL gave a transaction, for those that have asked. */
const xids = new WeakMap<Db, string>()

/** One try of a transaction. When the connection breaks at the commit, the database is asked what became of it. */
async function writeOnce<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  const begin = () => db.startTransaction().setIsolationLevel('read committed').execute()
  const { tx, wire } = await beginWired(begin)
  let value: T
  let xid: string | undefined
  try {
    value = await work(tx)
    // A commit after a write that failed would be a rollback that says nothing.
    await wire.settled()
    xid = xids.get(tx) ?? (await xidOf(tx))
  } catch (error) {
    const { failure } = wire
    await giveUp(tx)
    throw failure === undefined ? error : failure.error
  }
  try {
    await tx.commit().execute()
  } catch (error) {
    await giveUp(tx)
    if (xid === undefined || !isAway(error) || !(await hasCommitted(db, xid))) throw error
  }
  return value
}

/** A rollback that fails has a broken connection, and there the database rolls back by itself. */
const giveUp = (tx: ControlledTransaction<Tables>): Promise<void> =>
  tx
    .rollback()
    .execute()
    .catch(() => {})

/** Asks until the database is back and knows. A transaction whose end stays unknown is not tried again. */
async function hasCommitted(db: Db, xid: string): Promise<boolean> {
  const known = await patiently(async () => {
    const { rows } = await sql<{ status: string | null }>`select pg_xact_status(${xid}::xid8) as status`.execute(db)
    const status = rows[0]?.status
    if (status === 'in progress') throw away(new Error('the database has not noticed the broken connection yet'))
    return status
  }).catch((error: unknown) => Promise.reject(unknownEnd(error)))
  if (known === 'committed' || known === 'aborted') return known === 'committed'
  throw unknownEnd(new Error(`PostgreSQL no longer knows what became of transaction ${xid}.`))
}

/** Empty for a transaction that has written nothing. */
async function xidOf(tx: Db): Promise<string | undefined> {
  const { rows } = await sql<{ xid: string | null }>`select pg_current_xact_id_if_assigned()::text as xid`.execute(tx)
  return rows[0]?.xid ?? undefined
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
async function settledEvents(db: Db, filter: EventFilter, life: string) {
  const cursor = parseCursor(filter.after && positionIn(life, filter.after))
  const until = filter.until === undefined ? undefined : parseCursor(positionIn(life, filter.until))
  const conditions = [
    sql`(e.xid, e.id) > (${String(cursor.xid)}::xid8, ${String(cursor.id)}::bigint)`,
    until === undefined ? sql`e.xid < h.xmin` : hadHappened(until),
  ]
  if (cursor.seen !== undefined) conditions.push(sql`not pg_visible_in_snapshot(e.xid, ${cursor.seen}::pg_snapshot)`)
  for (const [name, column] of choices) {
    const wanted = filter[name]
    if (wanted !== undefined) conditions.push(sql`e.${sql.ref(column)} = ${wanted}`)
  }
  if (filter.types !== undefined) conditions.push(sql`e.type = any(${[...filter.types]})`)
  const order = filter.newest ? sql`e.xid desc, e.id desc` : sql`e.xid, e.id`

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
      select e.* from events e, h where ${sql.join(conditions, sql` and `)} order by ${order} limit ${filter.limit}
    )
    select found.xid::text, found.id::text, found.at, found.type, found.project_id, found.session_id, found.task_id,
      found.run_id, found.node_id, found.data, h.xmin::text, h.xmax::text, h.removed, h.missed
    from h left join found on true order by found.xid, found.id`
    .execute(db)
    .catch((error) => {
      throw isOutOfBounds(error) ? badCursor(filter.after ?? filter.until ?? '') : error
    })
  const { xmin, xmax, removed, missed } = rows[0]!
  // A copy of the whole server was put in place, and some transactions were not in it.
  if (cursor.xid > BigInt(xmax) || (until !== undefined && until.xid > BigInt(xmax))) throw otherLife()
  if (filter.after !== undefined && missed) throw expired(inLife(life, removed))

  const show = (at: Cursor) => inLife(life, showCursor(at))
  const stored = rows
    .filter((row) => row.id !== null)
    .map((row) => ({ ...row, seq: show({ xid: BigInt(row.xid), id: BigInt(row.id), seen: cursor.seen }) }))
  const horizon = BigInt(xmin)
  const position = horizon > cursor.xid ? { xid: horizon, id: 0n, seen: cursor.seen } : cursor
  const full = stored.length === filter.limit
  return { items: toEvents(stored), full, seq: full && !filter.newest ? stored.at(-1)!.seq : show(position) }
}

/** What a snapshot had seen, and what came up to the cursor's own place. */
function hadHappened({ xid, id, seen }: Cursor) {
  const before = sql`(e.xid, e.id) <= (${String(xid)}::xid8, ${String(id)}::bigint)`
  return seen === undefined ? before : sql`(${before} or pg_visible_in_snapshot(e.xid, ${seen}::pg_snapshot))`
}

/** PostgreSQL does not accept the text as a number or a snapshot. */
const isOutOfBounds = (error: { code?: string }): boolean => error.code === '22P02' || error.code === '22003'

async function connect(db: Db): Promise<void> {
  try {
    await sql`select 1`.execute(db)
  } catch (error) {
    await db.destroy()
    throw unreachableStore(error)
  }
}

/** Returns the life of the database. */
async function migrate(db: Db, now: () => number): Promise<string> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`.execute(connection)
    try {
      const { pending } = await connection.transaction().execute(migrationsIn)
      for (const migration of pending)
        await connection.transaction().execute((tx) => migrateOne(tx, 'postgres', migration, now()))
      return await connection.transaction().execute(begin)
    } finally {
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK}::bigint)`.execute(connection)
    }
  })
}

/** A dump keeps the numbers of another server's transactions, which here may lie ahead: its events come first. */
async function begin(tx: Db): Promise<string> {
  const { life, moved } = await settleLife(tx, await databasePlace(tx))
  if (moved)
    for (const table of ['events', 'events_removed']) await sql`update ${sql.table(table)} set xid = '0'`.execute(tx)
  return life
}

const DISK_FULL = '53100'

function translate(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== DISK_FULL) return error
  return new AppError('store.full', 'The disk of the PostgreSQL server is full; nothing was written.', {
    hint: 'Free some space there; work goes on by itself.',
    cause: error,
  })
}
