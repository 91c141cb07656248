import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
  }
}

const STOP_MS = 5_000

/** One real PostgreSQL cluster for the whole run; every world makes a database of its own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Many short runs may share a cluster that somebody else started and will end.
  const given = process.env.TROUPE_TEST_POSTGRES
  if (given !== undefined) {
    project.provide('postgresUrl', given)
    return async () => {}
  }
  const cluster = spawn(process.execPath, [fileURLToPath(new URL('cluster.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // The cluster is a process group of its own, so that all its processes can be ended.
    detached: true,
  })
  project.provide('postgresUrl', await address(cluster))
  return () => stop(cluster)
}

async function address(cluster: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: cluster.stdout! })) return line
  throw new Error('PostgreSQL did not start; its own words are above.')
}

/** A cluster that does not stop changes nothing about the verdict of the tests. */
async function stop(cluster: ChildProcess): Promise<void> {
  const ended = once(cluster, 'exit')
  cluster.stdin!.end()
  const late = setTimeout(() => {
    console.error(`PostgreSQL did not stop within ${STOP_MS / 1000} s and was killed.`)
    process.kill(-cluster.pid!, 'SIGKILL')
  }, STOP_MS)
  await ended
  clearTimeout(late)
}
