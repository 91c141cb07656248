import { AsyncLocalStorage } from 'node:async_hooks'
import { isStoreTrouble } from '../contract/errors.ts'
import type { EventFilter, EventPage, NewEvent } from './events.ts'
import type { Db } from './tables.ts'

/** One database behind one query layer. Only core opens transactions; only store writes SQL. */
export interface Store {
  /** Which database it is, for people only; no rule asks for it. */
  readonly about: { readonly kind: 'sqlite' | 'postgres'; readonly durability?: 'process' | 'power' }
  /** The data folder's lock proves that no other process works on this database. */
  readonly alone: boolean
  /** For queries outside a transaction. It throws inside one, because it would not see what that wrote. */
  readonly read: Db
  /**
   * One transaction, one writer at a time on SQLite. Only its own queries may be awaited inside. What is urgent may use
   * space that is kept for it once the disk is full, and may be tried twice.
   */
  write<T>(work: (db: Db) => Promise<T>, how?: { readonly urgent?: boolean }): Promise<T>
  /** A consistent read together with the event cursor it is exact at. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<{ value: T; seq: string }>
  /** A snapshot for long reads such as a search or an export. On SQLite it runs in a thread and holds nobody up. */
  aside<T>(work: (db: Db) => Promise<T>): Promise<{ value: T; seq: string }>
  appendEvents(db: Db, events: readonly NewEvent[]): Promise<void>
  readEvents(filter: EventFilter): Promise<EventPage>
  latestSeq(): Promise<string>
  /** The database's clock, by which leases live. */
  now(db: Db): Promise<number>
  /** The same as last seen, without asking: what timers of all hosts are set and compared by. */
  time(): number
  /** Since when and why nothing can be written; undefined while all is well. */
  trouble(): Trouble | undefined
  /** Copies the database while it is in use; absent where it has backups of its own. */
  backup?(file: string): Promise<void>
  close(): Promise<void>
}

interface Trouble {
  readonly since: number
  readonly message: string
}

/** Keeps in mind that writing fails for a reason that will pass, until something is written again. */
export function troubleWatch(now: () => number) {
  let trouble: Trouble | undefined
  return {
    trouble: () => trouble,
    async watch<T>(write: () => Promise<T>): Promise<T> {
      try {
        const value = await write()
        trouble = undefined
        return value
      } catch (error) {
        if (isStoreTrouble(error)) trouble = { since: trouble?.since ?? now(), message: error.message }
        throw error
      }
    },
  }
}

/** The transaction that the running code is in, so that a query beside it fails loudly instead of deadlocking. */
export const transactionScope = new AsyncLocalStorage<symbol>()

export function assertOutsideTransaction(): void {
  if (transactionScope.getStore() !== undefined) {
    throw new Error('A query went outside the open transaction; pass the transaction on to it.')
  }
}
