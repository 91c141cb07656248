import type { Context } from 'hono'
import type { Core } from '../core/core.ts'
import { latestSeq } from '../core/events.ts'
import type { Env } from './face.ts'

/** Reads, and says in Troupe-Seq from where the events go on. */
export async function withSeq<T>(core: Core, c: Context<Env>, read: () => Promise<T>): Promise<T> {
  const seq = await latestSeq(core)
  const value = await read()
  c.header('Troupe-Seq', seq)
  return value
}
