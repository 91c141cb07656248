import { join } from 'node:path'
import { iso } from '../../lib/clock.ts'
import type { Db } from '../../store/tables.ts'
import { type Core, transact } from '../base/index.ts'

/** What moving rows of any kind to the archive needs. */

export const archiveFolder = (core: Core): string => join(core.home, 'archive')

/** Of several processes that clean up at once, one removes the rows and the others cut their lines off again. */
export async function allOrNone(
  core: Core,
  name: string,
  count: number,
  remove: (db: Db) => Promise<number>,
): Promise<boolean> {
  const undo = new Error('Another process was first.')
  return transact(core, name, async (tx) => {
    if ((await remove(tx.db)) !== count) throw undo
    return true
  }).catch((error: unknown) => {
    if (error !== undo) throw error
    return false
  })
}

export const monthly = (kind: string, at: number): string => `${kind}-${iso(at).slice(0, 7)}.jsonl.gz`

export const lineOf = (table: string, row: object): string => `${JSON.stringify({ table, ...row })}\n`

export const aside = async <T>(core: Core, work: (db: Db) => Promise<T>): Promise<T> =>
  (await core.store.aside(work)).value
