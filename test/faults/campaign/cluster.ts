import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Cluster {
  readonly url: string
  /** Stops PostgreSQL, in order or with kill -9 of its first process, and resolves when it takes connections again. */
  restart(how: 'fast' | 'kill'): Promise<void>
}

const program = fileURLToPath(new URL('../../runner/cluster.ts', import.meta.url))

/** A PostgreSQL of the test's own, which it may stop: the one of the run is used by others. */
export async function startCluster(): Promise<Cluster> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async (): Promise<string> => {
    const { value } = await lines.next()
    if (value === undefined) throw new Error('PostgreSQL did not start; its own words are above.')
    return value
  }
  return {
    url: await line(),
    async restart(how) {
      child.stdin.write(`${how}\n`)
      await line()
    },
  }
}
