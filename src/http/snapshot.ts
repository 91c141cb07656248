import type { Context } from 'hono'
import type { Core } from '../core/core.ts'
import type { Env } from './face.ts'

type Db = Core['store']['read']

/** A consistent read; Troupe-Seq says from where the events go on. */
export async function snapshot<T>(core: Core, c: Context<Env>, read: (db: Db) => Promise<T>): Promise<T> {
  const { value, seq } = await core.store.snapshot(read)
  c.header('Troupe-Seq', seq)
  return value
}
