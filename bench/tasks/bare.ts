import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { CLAIMERS } from './job.ts'

/** The floor: a task is one row, and making, claiming and finishing it are three transactions of a statement each. */
interface Bare {
  task(): Promise<void>
  close(): Promise<void>
}

const TABLE = `create table bare_tasks (id text primary key, status text not null, body text not null, output text);
  create index bare_pending on bare_tasks (id) where status = 'pending'`
const FIRST = `select id from bare_tasks where status = 'pending' order by id limit 1`
const BODY = 'A task of about this length.'

export function bareSqlite(folder: string): Bare {
  const db = new DatabaseSync(join(folder, 'bare.db'))
  db.exec(`pragma journal_mode = wal; pragma synchronous = normal; ${TABLE}`)
  const create = db.prepare(`insert into bare_tasks values (?, 'pending', ?, null)`)
  const claim = db.prepare(`update bare_tasks set status = 'processing' where id = (${FIRST}) returning id`)
  const finish = db.prepare(`update bare_tasks set status = 'finished', output = ? where id = ?`)
  const transaction = (work: () => void): void => {
    db.exec('begin immediate')
    work()
    db.exec('commit')
  }
  return {
    async task() {
      let id = ''
      transaction(() => create.run(randomUUID(), BODY))
      transaction(() => {
        id = String(claim.get()?.id)
      })
      transaction(() => finish.run('Done.', id))
    },
    close: async () => db.close(),
  }
}

export async function barePostgres(url: string): Promise<Bare> {
  const pool = new pg.Pool({ connectionString: url, max: CLAIMERS })
  await pool.query(TABLE)
  const transaction = async (name: string, text: string, values: readonly string[]): Promise<string> => {
    const client = await pool.connect()
    await client.query('begin')
    const { rows } = await client.query({ name, text, values: [...values] })
    await client.query('commit')
    client.release()
    return rows[0]?.id ?? ''
  }
  const claimed = `update bare_tasks set status = 'processing' where id = (${FIRST} for update skip locked) returning id`
  return {
    async task() {
      await transaction('create', `insert into bare_tasks values ($1, 'pending', $2, null)`, [randomUUID(), BODY])
      let id = ''
      // Another may have locked the only one that is pending at that moment.
      while (id === '') id = await transaction('claim', claimed, [])
      await transaction('finish', `update bare_tasks set status = 'finished', output = $1 where id = $2`, ['Done.', id])
    },
    close: () => pool.end(),
  }
}
