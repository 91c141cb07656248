import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transact } from '../../src/core/base/transaction.ts'
import type { World } from './world.ts'

/** As many notes in the record, numbered from `first`. */
export async function note({ server: { core } }: World, count: number, first = 0, text = ''): Promise<void> {
  await transact(core, 'test.note', async (tx) => {
    for (let at = first; at < first + count; at++) {
      tx.record('log', { project: core.project.id }, { level: 'info', message: `note ${at}`, metadata: { text } })
    }
  })
}

/** What the server wrote down about refusals and about changes of trust. */
export function securityLog({ home }: World): string {
  const file = join(home, 'logs', 'security.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Nobody has ended the server: the first thing it does then is to take away the file that says where it is. */
export const isServing = ({ home }: World): boolean => existsSync(join(home, 'server.json'))

/** All that a request could have changed. */
export async function rows({ server }: World): Promise<unknown> {
  const db = server.core.store.read
  const tables = ['sessions', 'mail', 'events', 'inbox', 'messages'] as const
  return Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()))
}
