import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createDatabase, dropDatabase, settleEvents } from '../../test/kit/database.ts'
import { makeFolder } from '../../test/kit/files.ts'
import { openPostgres } from './drivers/postgres.ts'
import { openSqlite } from './drivers/sqlite.ts'
import type { Store } from './store.ts'

const now = () => Date.now()

async function say(store: Store, ...words: readonly string[]): Promise<void> {
  for (const word of words) {
    const event = { at: now(), type: 'log', project: 'p', sessionId: null, data: { word } } as const
    await store.write((db) => store.appendEvents(db, [event]))
  }
  await settleEvents(store)
}

const heard = async (store: Store, after?: string): Promise<unknown[]> =>
  (await store.readEvents({ after, limit: 10 })).items.map(({ data }) => data.word)

/** A position of before, in a store that was put back and went beyond it. */
async function refuses(store: Store, old: string): Promise<void> {
  await say(store, 'other 1', 'other 2', 'other 3')
  await expect(heard(store, old)).rejects.toMatchObject({
    code: 'events.expired',
    hint: expect.stringContaining('anew'),
  })
  expect(await heard(store)).toEqual(['one', 'other 1', 'other 2', 'other 3'])
  const seq = await store.latestSeq()
  await say(store, 'more')
  expect(await heard(store, seq)).toEqual(['more'])
}

test('a position from before a SQLite backup was put back is refused, also when it is not ahead', async () => {
  const folder = makeFolder()
  const [file, copy] = [join(folder, 'data.db'), join(folder, 'copy.db')]
  const open = () => openSqlite({ file, durability: 'process', now })
  const first = await open()
  await say(first, 'one')
  await first.backup!(copy)
  await say(first, 'two')
  const old = await first.latestSeq()
  await first.close()

  const again = await open()
  expect(await heard(again, old)).toEqual([])
  await again.close()
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  copyFileSync(copy, file)
  const restored = await open()
  onTestFinished(() => restored.close())
  await refuses(restored, old)
})

test('a position from before a PostgreSQL dump was restored is refused, also when it is not ahead', async () => {
  const url = await createDatabase()
  const copy = `${url}c`
  const first = await openPostgres({ url, now })
  await say(first, 'one')
  await first.close()
  const client = new pg.Client({ connectionString: `${inject('postgresUrl')}/postgres` })
  await client.connect()
  const name = (address: string) => new URL(address).pathname.slice(1)
  await client.query(`create database ${name(copy)} template ${name(url)} strategy file_copy`)
  await client.end()
  const going = await openPostgres({ url, now })
  await say(going, 'two')
  const old = await going.latestSeq()
  expect(await heard(going, old)).toEqual([])
  await going.close()

  const inCopy = new pg.Client({ connectionString: copy })
  await inCopy.connect()
  // As in a dump that comes from a server which has made more transactions.
  await inCopy.query(`update events set xid = '9000000000'`)
  await inCopy.end()
  const restored = await openPostgres({ url: copy, now })
  onTestFinished(async () => {
    await restored.close()
    await dropDatabase(copy)
    await dropDatabase(url)
  })
  await refuses(restored, old)
})
