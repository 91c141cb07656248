import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventFilter, EventPage, NewEvent } from './events.ts'
import type { Db } from './tables.ts'

/** One database behind one query layer. Only core opens transactions; only store writes SQL. */
export interface Store {
  /** For people who want to know what they use; no rule asks for it. */
  readonly about: { readonly kind: 'sqlite' | 'postgres'; readonly durability?: 'process' | 'power' }
  /** The data folder's lock proves that no other process works on this database. */
  readonly alone: boolean
  /** For queries outside a transaction; throws inside one, where it would read beside the transaction. */
  readonly read: Db
  /** One transaction, one writer at a time on SQLite. Only its own queries may be awaited inside. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** A consistent read together with the event cursor it is exact at. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<{ value: T; seq: string }>
  /** The same for what may take long, such as a search or an export: on SQLite in a thread, where it holds nobody up. */
  aside<T>(work: (db: Db) => Promise<T>): Promise<{ value: T; seq: string }>
  appendEvents(db: Db, events: readonly NewEvent[]): Promise<void>
  readEvents(filter: EventFilter): Promise<EventPage>
  latestSeq(): Promise<string>
  /** The database's clock, by which leases live. */
  now(db: Db): Promise<number>
  backup(file: string): Promise<void>
  close(): Promise<void>
}

/** Which transaction the running code is inside of, so that a stray query beside it fails loudly instead of deadlocking. */
export const transactionScope = new AsyncLocalStorage<symbol>()

export function assertOutsideTransaction(): void {
  if (transactionScope.getStore() !== undefined) {
    throw new Error('A query outside the open transaction was made inside it; pass the transaction on.')
  }
}
