import type { Context } from 'hono'
import type { Core, Read } from '../../core/base/index.ts'
import type { HttpEnv } from '../context.ts'

/** A consistent read. The header Troupe-Seq says from where the events go on. */
export const snapshot =
  (core: Core, c: Context<HttpEnv>): Read =>
  (work) =>
    withSeq(c, core.store.snapshot(work))

/** The same for a read that may take long: it does not hold up the others. */
export const snapshotAside =
  (core: Core, c: Context<HttpEnv>): Read =>
  (work) =>
    withSeq(c, core.store.aside(work))

async function withSeq<T>(c: Context<HttpEnv>, reading: Promise<{ value: T; seq: string }>): Promise<T> {
  const { value, seq } = await reading
  c.header('Troupe-Seq', seq)
  return value
}
