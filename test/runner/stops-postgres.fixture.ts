import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, test } from 'vitest'

test('leaves a cluster behind that cannot stop, and fails', async () => {
  const client = new pg.Client({ connectionString: `${inject('postgresUrl')}/postgres` })
  await client.connect()
  const { rows } = await client.query<{ data_directory: string }>('show data_directory')
  await client.end()
  const [pid] = readFileSync(join(rows[0]!.data_directory, 'postmaster.pid'), 'utf8').split('\n')
  process.kill(Number(pid), 'SIGSTOP')
  expect(1).toBe(2)
})
