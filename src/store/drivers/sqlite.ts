import { chmodSync, existsSync } from 'node:fs'
import { backup as backupDatabase, DatabaseSync } from 'node:sqlite'
import { AppError } from '../../contract/errors.ts'
import { lock } from '../../lib/lock.ts'
import type { Mask } from '../../lib/mask.ts'
import { isSoundSqlite } from '../../lib/sqlite-version.ts'
import { badCursor, choices, type EventChoice, type EventFilter, eventValues, expired, toEvents } from '../events.ts'
import { inLife, otherLife, positionIn, settleLife } from '../lives.ts'
import { migrateOne, migrations, migrationsIn } from '../migrations/index.ts'
import { assertOutsideTransaction, type Store, transactionScope, troubleWatch } from '../store.ts'
import type { Db } from '../tables.ts'
import { type AsideLimits, openAside } from './aside.ts'
import { createCommits } from './commits.ts'
import { atMost } from './limit.ts'
import { masking } from './masking.ts'
import { prepared, preparedFor } from './prepared.ts'
import { keepReserve } from './reserve.ts'
import { full, isFull, refuseEmptied, sameFile, translated } from './sqlite-faults.ts'
import { kyselyOver } from './statements.ts'

interface SqliteOptions {
  readonly file: string
  /** process: survives any crash of the program. power: also a power cut, at a sync per commit. */
  readonly durability: 'process' | 'power'
  readonly now: () => number
  /** Hides secrets in what is written. */
  readonly mask?: Mask
  readonly aside?: AsideLimits
}

/** How many pages the log holds before they are copied into the file; a page that was written often is copied once. */
const CHECKPOINT_PAGES = 4000

export async function openSqlite(options: SqliteOptions): Promise<Store> {
  try {
    return await open(options)
  } catch (error) {
    throw translated(error, options.file)
  }
}

async function open({ file, durability, now, mask, aside: limits }: SqliteOptions): Promise<Store> {
  refuseEmptied(file)
  const connection = new DatabaseSync(file)
  checkVersion(sqliteVersion(connection))
  if (file !== ':memory:') chmodSync(file, 0o600)
  // What a unit of work would need to be undone is kept in memory: as a file it is more than half of all that is written.
  connection.exec(`
    pragma busy_timeout = 5000; pragma journal_mode = wal; pragma foreign_keys = on;
    pragma synchronous = ${durability === 'power' ? 'full' : 'normal'};
    pragma journal_size_limit = 67108864; pragma cache_size = -16000; pragma temp_store = memory;
    pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};`)

  const inTransaction = () => {
    if (commits.open === undefined || transactionScope.getStore() !== commits.open) {
      throw new Error('The writing connection was used outside its transaction.')
    }
  }
  const writer = kyselyOver(connection, inTransaction, mask && [masking(mask)])
  const mustBeThere = sameFile(file)
  const commits = createCommits(connection, writer, { mustBeThere, translate: (error) => translated(error, file) })
  const { trouble, watch } = troubleWatch(now)
  const reserve = file === ':memory:' ? undefined : keepReserve(file)
  const write: Store['write'] = (work, { urgent = false } = {}) => {
    assertOutsideTransaction()
    return watch(async () => {
      if (!urgent && reserve?.refill() === false) throw full()
      try {
        return await commits.write(work)
      } catch (error) {
        if (!urgent || !isFull(error) || !reserve?.give()) throw error
        return await commits.write(work)
      }
    })
  }

  await migrate(write, file, now)
  const { life } = await write((db) => settleLife(db, ''))
  const newestSeq = async (db: Db): Promise<string> => inLife(life, String((await endsOf(db)).newest))

  const reading = openReader(file)
  // A snapshot stays open across awaits, so it has a connection of its own: other reads must see the newest commit.
  let snapshotting: ReturnType<typeof openReader> | undefined
  const snapshotTurn = lock()

  const reader = reading.db
  const aside = openAside(file, limits)

  return {
    about: { kind: 'sqlite', durability },
    alone: true,
    get read() {
      assertOutsideTransaction()
      return reader
    },
    write,
    snapshot: (work) =>
      snapshotTurn(async () => {
        mustBeThere()
        snapshotting ??= openReader(file)
        snapshotting.connection.exec('begin')
        try {
          const seq = await newestSeq(snapshotting.db)
          return { seq, value: await work(snapshotting.db) }
        } finally {
          snapshotting.connection.exec('commit')
        }
      }),
    aside(work) {
      assertOutsideTransaction()
      return aside.read(async (db) => ({ seq: await newestSeq(db), value: await work(db) }))
    },
    async appendEvents(db, events) {
      if (events.length > 0) await insertEvents(db, events.map(eventValues))
    },
    async readEvents(filter: EventFilter) {
      const { after: given, until, limit, newest: fromEnd = false, ...choice } = filter
      const { newest: last } = await endsOf(reader)
      const [after, newest] = [placeOf(life, given) ?? 0, placeOf(life, until) ?? last]
      // A power cut may take the newest events, and their positions are then given a second time.
      if (after > last || newest > last) throw otherLife()
      const found = await (fromEnd ? selectNewest : selectEvents)(limit)(reader, { after, newest }, choice)
      const rows = fromEnd ? found.toReversed() : found
      // This is asked after the reading, because events that were removed meanwhile are missing too.
      const { removed } = await endsOf(reader)
      if (given !== undefined && after < removed) throw expired(inLife(life, String(removed)))
      const items = toEvents(rows.map((row) => ({ ...row, seq: inLife(life, String(row.id)) })))
      const full = rows.length === limit
      return { items, full, seq: inLife(life, String(full && !fromEnd ? rows.at(-1)!.id : newest)) }
    },
    latestSeq: () => newestSeq(reader),
    now: async () => now(),
    time: now,
    trouble,
    async backup(target) {
      await copyDatabase(file, target)
    },
    async close() {
      await commits.settled()
      await aside.close()
      reading.connection.close()
      snapshotting?.connection.close()
      connection.close()
    },
  }
}

function placeOf(life: string, cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const position = positionIn(life, cursor)
  if (!/^\d{1,16}$/.test(position)) throw badCursor(cursor)
  return Number(position)
}

type Range = { after: number; newest: number }

const inOrder = (order: 'asc' | 'desc') =>
  preparedFor((limit: number) => (db, range: Range, choice: EventChoice) => {
    let query = db
      .selectFrom('events')
      .select(['id', 'at', 'type', 'project_id', 'session_id', 'task_id', 'run_id', 'node_id', 'data'])
      .where('id', '>', range.after)
      .where('id', '<=', range.newest)
      .orderBy('id', order)
      .limit(atMost(limit))
    for (const [name, column] of choices) {
      const wanted = choice[name]
      if (wanted !== undefined) query = query.where(column, '=', wanted)
    }
    if (choice.types !== undefined) query = query.where('type', 'in', [...choice.types])
    return query
  })

const selectEvents = inOrder('asc')
const selectNewest = inOrder('desc')

const insertEvents = prepared((db, rows: ReturnType<typeof eventValues>[]) => db.insertInto('events').values(rows))

function openReader(file: string): { connection: DatabaseSync; db: Db } {
  const connection = new DatabaseSync(file, { readOnly: true })
  connection.exec('pragma busy_timeout = 5000; pragma cache_size = -16000;')
  return { connection, db: kyselyOver(connection, () => {}) }
}

/** The newest event there was, which may have been removed since, and the newest of the removed. */
async function endsOf(db: Db): Promise<{ newest: number; removed: number }> {
  const [row] = await selectEnds(db)
  const removed = row?.removed ?? 0
  return { newest: Math.max(Number(row?.newest ?? 0), removed), removed }
}

const selectEnds = prepared((db) =>
  db
    .selectFrom('events_removed')
    .select((all) => ['id as removed', all.selectFrom('events').select(db.fn.max('id').as('id')).as('newest')]),
)

/** Copies beside the writer, on a connection of its own. The copy is the owner's alone. */
async function copyDatabase(file: string, target: string): Promise<void> {
  const source = new DatabaseSync(file)
  try {
    source.exec('pragma busy_timeout = 5000')
    await backupDatabase(source, target, { rate: 1000 })
    chmodSync(target, 0o600)
    forgetLife(target)
  } finally {
    source.close()
  }
}

/** Whoever goes back to the copy begins another life. A copy of an older schema gets its first when it is opened. */
export function forgetLife(copy: string): void {
  const connection = new DatabaseSync(copy)
  const known = connection.prepare(`select 1 from sqlite_master where name = 'lives'`).get()
  if (known !== undefined) connection.exec(`update lives set id = ''`)
  connection.close()
}

/** The WAL-reset bug corrupts databases with several connections. The version is that of the loaded library. */
export function checkVersion(version: string): void {
  if (isSoundSqlite(version)) return
  throw new AppError('store.version', `SQLite ${version} can corrupt a database under load (WAL-reset bug).`, {
    hint: 'Use a Node.js whose SQLite is 3.51.3 or newer, for example Node 24.15 or newer from nodejs.org.',
  })
}

function sqliteVersion(connection: DatabaseSync): string {
  return String(connection.prepare('select sqlite_version() as version').get()?.version)
}

async function migrate(write: Store['write'], file: string, now: () => number): Promise<void> {
  const { applied, pending } = await write(migrationsIn)
  if (applied > 0 && pending.length > 0 && existsSync(file)) {
    await copyDatabase(file, `${file}.before-${applied}-to-${migrations.length}`)
  }
  for (const migration of pending) await write((db) => migrateOne(db, 'sqlite', migration, now()))
}
