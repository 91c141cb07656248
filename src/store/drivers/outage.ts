import { setTimeout as delay } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { AppError } from '../../contract/errors.ts'
import { asNamed, renameStatements } from './named.ts'

/** How long a database that is away is waited for before whoever asked is told. */
const WRITE_PATIENCE_MS = 10_000
export const READ_PATIENCE_MS = 3000
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1000
const CONFLICTS = 8

/** What PostgreSQL and the network say when a server goes, comes or has no room for one more connection. */
const goneCode =
  /^(08...|57P0[1235]|53300|25P03|E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|(HOST|NET)UNREACH|NOENT|AI_AGAIN))$/
/** The driver has no codes for these. */
const goneWords = /Connection terminated|is not queryable|timeout exceeded when trying to connect/

/** Says a broken connection, or one that could not be made, in our words. Other errors stay as they are. */
export function tellAway(error: unknown): never {
  if (error instanceof Error && (goneCode.test(codeOf(error)) || goneWords.test(error.message))) throw away(error)
  throw error
}

export const away = (cause: unknown): AppError =>
  new AppError('store.away', 'The PostgreSQL database cannot be reached.', {
    hint: 'Work goes on by itself when it is back: look at the server that TROUPE_DATABASE_URL names. Send the same again with the same clientId.',
    cause,
  })

export const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'store.away'

const unknownEnds = new WeakSet<AppError>()

/** The same where a commit was on its way, and nobody can say whether it was done: trying again might do it twice. */
export function unknownEnd(cause: unknown): AppError {
  const error = away(cause)
  unknownEnds.add(error)
  return error
}

const mayTryAgain = (error: unknown): boolean => isAway(error) && !unknownEnds.has(error as AppError)

/** A connection that breaks between two statements would end the process; here the next statement says it. */
export function watchConnection(client: pg.ClientBase, over: (result: pg.QueryResult) => pg.QueryResult): void {
  client.on('error', () => {})
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const told = (text: unknown, values: unknown, ...given: unknown[]): unknown => {
    const isPlain = typeof text === 'string' && Array.isArray(values)
    const asked = isPlain ? query(asNamed(text, values), ...given) : query(text, values, ...given)
    return asked instanceof Promise ? asked.then(over, tellAway) : asked
  }
  client.query = told as typeof client.query
}

/** What Kysely takes for a pool. Each statement takes any connection and is tried on another when that breaks. */
export function readingPool(pool: pg.Pool, over: (result: pg.QueryResult) => pg.QueryResult): PostgresPool {
  const select = async (text: string, values: readonly unknown[]) => {
    const ask = () => pool.query(asNamed(text, values)).then(over, tellAway)
    const { rows, rowCount } = await patiently(ask, READ_PATIENCE_MS)
    return { command: 'SELECT', rows, rowCount: rowCount ?? 0 }
  }
  const client = { query: select as PostgresPoolClient['query'], release: () => {} }
  return { options: pool.options, connect: async () => client, end: async () => {} }
}

/** Tries again after a conflict with another transaction, and while the database is away; both within bounds. */
export async function patiently<T>(work: () => Promise<T>, patienceMs = WRITE_PATIENCE_MS): Promise<T> {
  const end = performance.now() + patienceMs
  let conflicts = 0
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
    try {
      return await work()
    } catch (error) {
      if (isOutdated(error)) renameStatements()
      const again =
        isConflict(error) || isOutdated(error)
          ? ++conflicts <= CONFLICTS
          : mayTryAgain(error) && performance.now() < end
      if (!again) throw error
      await delay(waitMs * (0.5 + Math.random()))
    }
  }
}

/** Two transactions stood in each other's way, and the database ended this one. */
const isConflict = (error: unknown): boolean => error instanceof Error && /^40(P01|001)$/.test(codeOf(error))

/** A statement was kept by name, and its table has other columns since. */
const isOutdated = (error: unknown): boolean =>
  error instanceof Error && codeOf(error) === '0A000' && error.message.includes('cached plan')

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')
