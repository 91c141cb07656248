import { startServer } from '../../src/app.ts'
import { transact } from '../../src/core/base/transaction.ts'
import { furnish } from '../house.ts'
import { type Made, TEXT } from './job.ts'

/** The whole server. Events are made in a transaction, as always, and reach clients over /api/ws. */
export async function openOurs(folder: string): Promise<Made> {
  const house = furnish(folder, 'http://127.0.0.1:9/v1', [])
  const server = await startServer({ ...house, env: { HOME: folder }, port: 0 })
  const { core } = server
  const about = { project: core.project.id }
  return {
    url: `${server.url.replace('http', 'ws')}/api/ws?types=log`,
    token: server.token,
    make: (metadata) =>
      transact(core, 'bench', async (tx) => {
        tx.record('log', about, { level: 'info', message: TEXT, metadata: { ...metadata } })
      }),
    stop: server.stop,
  }
}
