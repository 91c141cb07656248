import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { inFolder } from '../folder.ts'
import { ask } from '../processes.ts'
import { type Options, profiling, type Row } from '../suite.ts'
import { CLAIMERS, type Times } from './job.ts'

const ROUNDS = { quick: 1, full: 3 }
const TASKS = { sqlite: { quick: 1500, full: 5000 }, postgres: { quick: 500, full: 2000 } }
/** 4,000 tasks a second where 12,000 bare ones are done, and 800 where there are 2,000. */
const GOALS = { sqlite: 3, postgres: 2.5 }

const here = (name: string): string => new URL(name, import.meta.url).pathname

/** How long it takes to create, claim and finish a task, against a bare one on the same database. */
export async function tasks(options: Options): Promise<Row[]> {
  const size = options.quick ? 'quick' : 'full'
  return withCluster(async (postgres) => {
    const rows: Row[] = []
    for (const store of ['sqlite', 'postgres'] as const) {
      const rounds: Times[] = []
      for (let round = 1; round <= ROUNDS[size]; round++) {
        const job = { tasks: TASKS[store][size], ...(store === 'postgres' ? { postgres } : {}) }
        const times = await inFolder((folder) => ask<Times>(here('./times.ts'), { folder, ...job }, profiling(options)))
        options.progress(`tasks ${store} ${round}: ${perSecond(times.ours)} a second, ${perSecond(times.bare)} bare`)
        rounds.push(times)
      }
      rows.push({
        label: `${store}: create, claim and finish a task, ${CLAIMERS} at once`,
        unit: 'ms',
        digits: 3,
        rounds: { bare: rounds.map(({ bare }) => bare), ours: rounds.map(({ ours }) => ours) },
        goal: { bare: GOALS[store] },
      })
    }
    return rows
  })
}

const perSecond = (ms: number): string => (1000 / ms).toFixed(0)

/** A cluster that ends with its standard input. */
async function withCluster<T>(work: (url: string) => Promise<T>): Promise<T> {
  const cluster = spawn(process.execPath, [here('../../test/runner/cluster.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(cluster, 'exit')
  try {
    for await (const url of createInterface({ input: cluster.stdout })) return await work(url)
    throw new Error('PostgreSQL did not start; its own words are above.')
  } finally {
    cluster.stdin.end()
    await ended
  }
}
