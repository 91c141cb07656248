import type { Context } from 'hono'
import type { Core } from '../../core/base/index.ts'
import type { HttpEnv } from '../context.ts'

type Db = Core['store']['read']

/** A consistent read. The header Troupe-Seq says from where the events go on. */
export const snapshot = <T>(core: Core, c: Context<HttpEnv>, read: (db: Db) => Promise<T>): Promise<T> =>
  withSeq(c, core.store.snapshot(read))

/** The same for a read that may take long: it does not hold up the others. */
export const snapshotAside = <T>(core: Core, c: Context<HttpEnv>, read: (db: Db) => Promise<T>): Promise<T> =>
  withSeq(c, core.store.aside(read))

async function withSeq<T>(c: Context<HttpEnv>, reading: Promise<{ value: T; seq: string }>): Promise<T> {
  const { value, seq } = await reading
  c.header('Troupe-Seq', seq)
  return value
}
