import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { openPostgres } from '../../src/store/drivers/postgres.ts'
import { openSqlite } from '../../src/store/drivers/sqlite.ts'
import { CLAIMERS, type Job, type Times, timed } from './job.ts'
import { openOurs } from './ours.ts'

const WARM = 50

/** `node times.ts '{"folder":…,"postgres":…,"tasks":…}'`: measures bare transactions and whole tasks on one store. */
const { folder, postgres, tasks } = JSON.parse(process.argv[2] ?? '{}') as Job
const url = postgres === undefined ? undefined : await database(postgres)
const bare = url === undefined ? bareSqlite(folder) : await barePostgres(url)
const store =
  url === undefined
    ? await openSqlite({ file: join(folder, 'data.db'), durability: 'process', now: Date.now })
    : await openPostgres({ url, now: Date.now })
const ours = openOurs(store, folder)
await timed(WARM, bare.transaction)
await timed(WARM, ours)
const times: Times = { bare: await timed(tasks * 3, bare.transaction), ours: await timed(tasks, ours) }
const ended = await store.read.selectFrom('tasks').select('status').where('status', '=', 'finished').execute()
if (ended.length < tasks) throw new Error(`Only ${ended.length} of ${tasks} tasks have finished.`)
await store.close()
await bare.close()
process.stdout.write(`${JSON.stringify(times)}\n`)
process.exit()

/** The floor: one transaction that adds a row and changes another. */
function bareSqlite(folder: string) {
  const db = new DatabaseSync(join(folder, 'bare.db'))
  db.exec('pragma journal_mode = wal; pragma synchronous = normal')
  db.exec(`create table one (id integer primary key, n integer); create table rows (id integer primary key, body text);
    insert into one values (1, 0)`)
  const [insert, update] = [
    db.prepare('insert into rows (body) values (?)'),
    db.prepare('update one set n = n + 1 where id = 1'),
  ]
  return {
    async transaction(): Promise<void> {
      db.exec('begin immediate')
      insert.run('A task of about this length.')
      update.run()
      db.exec('commit')
    },
    close: async () => db.close(),
  }
}

async function barePostgres(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: CLAIMERS })
  await pool.query('create table bare_ones (id int primary key, n int)')
  await pool.query('create table bare_rows (id serial primary key, body text)')
  await pool.query('insert into bare_ones select generate_series(0, 999), 0')
  let next = 0
  return {
    async transaction(): Promise<void> {
      const client = await pool.connect()
      next = (next + 1) % 1000
      await client.query('begin')
      await client.query({ name: 'add', text: 'insert into bare_rows (body) values ($1)', values: ['A task.'] })
      await client.query({ name: 'set', text: 'update bare_ones set n = n + 1 where id = $1', values: [next] })
      await client.query('commit')
      client.release()
    },
    close: () => pool.end(),
  }
}

async function database(cluster: string): Promise<string> {
  const name = `bench_${process.pid}`
  const admin = new pg.Client({ connectionString: `${cluster}/postgres` })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  return `${cluster}/${name}`
}
