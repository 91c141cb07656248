import { AsyncLocalStorage } from 'node:async_hooks'
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import type { Db } from '../tables.ts'

/**
 * The connection of one PostgreSQL transaction, past Kysely, which sends a statement only when the one before it was
 * answered. The database does statements in the order in which they come, and one that fails ends the transaction: so
 * nobody waits for a write that answers nothing, and what is sent in one go is one write to the socket.
 */
interface Wire {
  /** The rows; none and at once for a statement that has no answer. */
  send(text: string, values: readonly unknown[], hasAnswer: boolean): Promise<unknown[]>
  /** Resolves when everything was answered, or throws the first failure. */
  settled(): Promise<void>
  /** The first failure; all that came after it failed because of it. */
  readonly failure: { readonly error: unknown } | undefined
}

const wires = new WeakMap<Db, Wire>()

export const wireOf = (tx: Db): Wire | undefined => wires.get(tx)

/** Whoever begins a transaction is told which connection Kysely took for it. */
const taking = new AsyncLocalStorage<{ client?: pg.PoolClient }>()

export function noteTaken(client: pg.PoolClient): pg.PoolClient {
  const taker = taking.getStore()
  if (taker) taker.client = client
  return client
}

export async function beginWired<T extends Db>(begin: () => Promise<T>): Promise<{ tx: T; wire: Wire }> {
  const taken: { client?: pg.PoolClient } = {}
  const tx = await taking.run(taken, begin)
  return { tx, wire: openWire(tx, taken.client!) }
}

function openWire(tx: Db, client: pg.ClientBase): Wire {
  let failure: Wire['failure']
  let last: Promise<unknown> = Promise.resolve()
  const wire: Wire = {
    async send(text, values, hasAnswer) {
      gather(client)
      const sent = client.query(text, [...values])
      last = sent.catch((error: unknown) => {
        failure ??= { error }
      })
      return hasAnswer ? (await sent).rows : []
    },
    async settled() {
      await last
      if (failure !== undefined) throw failure.error
    },
    get failure() {
      return failure
    },
  }
  wires.set(tx, wire)
  return wire
}

/** What is sent until the running code has to wait for something goes out together. */
function gather(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}
