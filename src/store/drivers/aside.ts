import { Worker } from 'node:worker_threads'
import { type DatabaseConnection, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { AppError } from '../../contract/errors.ts'
import { lock } from '../../lib/lock.ts'
import type { Db, Tables } from '../tables.ts'
import { type WordTable, wordTable } from '../words.ts'
import { type RowPlace, reportUnreadable } from './unreadable.ts'

/** What the thread begins with. The words are handed over: to know them it would load every schema, which takes longer than most reads. */
export interface AsideStart {
  readonly file: string
  readonly words: WordTable
}

/** A statement for the thread; `Told` is the thread's answer, or a place that it could not read. */
export interface AsideStatement {
  readonly id: number
  readonly sql: string
  readonly parameters: readonly unknown[]
}
export type Told =
  | ({ readonly id: number } & ({ readonly rows: unknown[] } | { readonly error: string }))
  | { readonly place: RowPlace }

/** For reads that may take long: in the server's own thread SQLite would hold up everything else meanwhile. */
interface Aside {
  /** Reads go one at a time, each in a transaction of its own. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface AsideLimits {
  /** How long one read may take, and how many may wait for their turn. */
  readonly readMs: number
  readonly waiting: number
  /** How long an idle thread is kept; it costs memory. */
  readonly idleMs: number
}

export const asideLimits: AsideLimits = { readMs: 30_000, waiting: 32, idleMs: 30_000 }

/** How many threads may be ending at once: SQLite finishes its statement before its thread can end. */
const ENDING = 2

/** Reads in a thread with a connection of its own, which starts when it is first needed. */
export function openAside(file: string, limits: AsideLimits = asideLimits): Aside {
  const inTurn = lock()
  let waiting = 0
  let thread: Thread | undefined
  let idle: NodeJS.Timeout | undefined
  let closed: AppError | undefined
  let ending = 0
  /** Why the last thread ended. */
  let ended: AppError | undefined
  const db = kyselyOn((sql, parameters) => {
    if (thread === undefined) throw ended
    return thread.run(sql, parameters)
  })

  const end = async (reason: AppError): Promise<void> => {
    const last = thread
    thread = undefined
    ended = reason
    ending += 1
    await last?.end(reason)
    ending -= 1
  }

  async function inTransaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    if (closed !== undefined) throw closed
    clearTimeout(idle)
    if (thread === undefined && ending >= ENDING) throw stillBusy()
    thread ??= startThread(file)
    const current = thread
    let late: NodeJS.Timeout | undefined
    try {
      await current.run('begin', [])
      late = setTimeout(() => void end(tooSlow(limits)), limits.readMs)
      return await work(db)
    } finally {
      clearTimeout(late)
      // A thread whose commit failed is not used again: its transaction may still be open.
      if (thread === current) await current.run('commit', []).catch(() => end(tooSlow(limits)))
      idle = setTimeout(() => void end(tooSlow(limits)), limits.idleMs).unref()
    }
  }

  return {
    async read(work) {
      if (waiting >= limits.waiting) throw tooMany(limits)
      waiting += 1
      try {
        return await inTurn(() => inTransaction(work))
      } finally {
        waiting -= 1
      }
    },
    async close() {
      closed = new AppError('server.shutting_down', 'The server is shutting down.')
      await end(closed)
      clearTimeout(idle)
    },
  }
}

interface Thread {
  run(sql: string, parameters: readonly unknown[]): Promise<unknown[]>
  /** Whoever waits for the thread is told the reason. */
  end(reason: Error): Promise<void>
}

function startThread(file: string): Thread {
  const workerData: AsideStart = { file, words: wordTable }
  const worker = new Worker(new URL('./aside-worker.ts', import.meta.url), { workerData, env: {} })
  worker.unref()
  const open = new Map<number, PromiseWithResolvers<unknown[]>>()
  let last = 0
  let broken: Error | undefined
  const fail = (reason: Error): void => {
    broken ??= reason
    for (const { reject } of open.values()) reject(broken)
    open.clear()
  }
  worker.on('message', (told: Told) => {
    if ('place' in told) return reportUnreadable(told.place)
    const asked = open.get(told.id)
    open.delete(told.id)
    if ('rows' in told) asked?.resolve(told.rows)
    else asked?.reject(new Error(told.error))
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread that reads beside the others has ended.')))
  return {
    run(sql, parameters) {
      if (broken !== undefined) return Promise.reject(broken)
      const asked = Promise.withResolvers<unknown[]>()
      open.set(++last, asked)
      worker.postMessage({ id: last, sql, parameters } satisfies AsideStatement)
      return asked.promise
    },
    async end(reason) {
      fail(reason)
      await worker.terminate()
    },
  }
}

/** Kysely over a function that runs a statement; `inTransaction` takes care of transactions. */
function kyselyOn(run: Thread['run']): Db {
  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) => ({
      rows: (await run(sql, parameters)) as R[],
    }),
    streamQuery: unsupported,
  }
  const nothing = async (): Promise<void> => {}
  const driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: unsupported,
    commitTransaction: unsupported,
    rollbackTransaction: unsupported,
    releaseConnection: nothing,
    destroy: nothing,
  }
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

const unsupported = (): never => {
  throw new Error('A read aside has its transaction already, and reads by page instead of by stream.')
}

const tooSlow = ({ readMs }: AsideLimits): AppError =>
  new AppError('store.slow', `Reading the database took longer than ${readMs / 1000} s and was ended.`, {
    hint: 'Ask for less: a project, an agent, a smaller limit.',
  })

const tooMany = ({ waiting }: AsideLimits): AppError =>
  new AppError('store.busy', `${waiting} searches and exports wait already.`, { hint: 'Try again when they are done.' })

const stillBusy = (): AppError =>
  new AppError('store.busy', 'Earlier reads that took too long are still being ended.', {
    hint: 'Try again later, and ask for less.',
  })
