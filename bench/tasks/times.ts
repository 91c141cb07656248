import { join } from 'node:path'
import pg from 'pg'
import { openPostgres } from '../../src/store/drivers/postgres.ts'
import { openSqlite } from '../../src/store/drivers/sqlite.ts'
import { barePostgres, bareSqlite } from './bare.ts'
import { type Job, type Times, timed } from './job.ts'
import { openOurs } from './ours.ts'

const WARM = 200
const SLICES = 10

/** `node times.ts '{"folder":…,"postgres":…,"tasks":…}'`: measures bare tasks and ours on one store. */
const { folder, postgres, tasks } = JSON.parse(process.argv[2] ?? '{}') as Job
const url = postgres === undefined ? undefined : await database(postgres)
const bare = url === undefined ? bareSqlite(folder) : await barePostgres(url)
const store =
  url === undefined
    ? await openSqlite({ file: join(folder, 'data.db'), durability: 'process', now: Date.now })
    : await openPostgres({ url, now: Date.now })
const ours = openOurs(store, folder)
await timed(WARM, bare.task)
await timed(WARM, ours)
const times = { bare: 0, ours: 0 } satisfies Times
// In slices, one after the other: what else the machine does then falls on both.
for (let slice = 0; slice < SLICES; slice++) {
  times.bare += (await timed(tasks / SLICES, bare.task)) / SLICES
  times.ours += (await timed(tasks / SLICES, ours)) / SLICES
}
const ended = await store.read.selectFrom('tasks').select('status').where('status', '=', 'finished').execute()
if (ended.length < tasks) throw new Error(`Only ${ended.length} of ${tasks} tasks have finished.`)
await store.close()
await bare.close()
process.stdout.write(`${JSON.stringify(times)}\n`)
process.exit()

async function database(cluster: string): Promise<string> {
  const name = `bench_${process.pid}`
  const admin = new pg.Client({ connectionString: `${cluster}/postgres` })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  return `${cluster}/${name}`
}
