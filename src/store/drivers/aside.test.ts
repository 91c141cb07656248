import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import type { Db } from '../tables.ts'
import { type AsideLimits, asideLimits } from './aside.ts'
import { openSqlite } from './sqlite.ts'

async function open(limits: Partial<AsideLimits> = {}, closes = true) {
  const folder = makeFolder()
  const aside = { ...asideLimits, ...limits }
  const store = await openSqlite({ file: join(folder, 'data.db'), durability: 'process', now: Date.now, aside })
  onTestFinished(async () => {
    if (closes) await store.close()
  })
  const note = (message: string) =>
    store.write((db) =>
      store.appendEvents(db, [{ at: 1, type: 'log', project: 'p', sessionId: null, data: { message } }]),
    )
  return { store, note }
}

/** Counts for much longer than a read may take, but not for ever, because SQLite cannot be stopped. */
const long = (db: Db) =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000000) select count(*) from n`.execute(
    db,
  )

const count = async (db: Db) => (await db.selectFrom('events').select('id').execute()).length

test('reads that take too long hold up no other read and no writing, and are ended with a sentence', async () => {
  const { store, note } = await open({ readMs: 1000 })
  const slow = store.aside(long).catch((error) => error)
  await note('meanwhile')
  expect(await count(store.read)).toBe(1)
  expect((await store.snapshot(count)).value).toBe(1)
  expect(await slow).toMatchObject({ code: 'store.slow', message: expect.stringContaining('1 s') })
  // A thread ends only after its statement: meanwhile a second thread may start, a third may not.
  expect(await store.aside(long).catch((error) => error)).toMatchObject({ code: 'store.slow' })
  expect(await store.aside(long).catch((error) => error)).toMatchObject({ code: 'store.busy' })
})

test('after a read that failed the next one is served', async () => {
  const { store } = await open()
  await expect(store.aside((db) => sql`select 1 from nowhere`.execute(db))).rejects.toThrow('nowhere')
  expect((await store.aside(count)).value).toBe(0)
})

test('what is read aside is of one moment, and says from where the events go on', async () => {
  const { store, note } = await open()
  await note('before')
  const { value, seq } = await store.aside(async (db) => {
    const first = await count(db)
    await note('during')
    return [first, await count(db)]
  })
  expect(value).toEqual([1, 1])
  const { items } = await store.readEvents({ after: seq, limit: 10 })
  expect(items.map(({ data }) => data.message)).toEqual(['during'])
  expect((await store.aside(count)).value).toBe(2)
})

test('what is read aside cannot write', async () => {
  const { store } = await open()
  await expect(store.aside((db) => sql`delete from events`.execute(db))).rejects.toThrow('readonly')
  expect((await store.aside(count)).value).toBe(0)
})

test('more than may wait are refused, and the others are served in order', async () => {
  const { store } = await open({ waiting: 3 })
  const gate = Promise.withResolvers<void>()
  const order: number[] = []
  const reads = [1, 2, 3].map((at) =>
    store.aside(async () => {
      await gate.promise
      order.push(at)
    }),
  )
  await expect(store.aside(count)).rejects.toMatchObject({ code: 'store.busy' })
  gate.resolve()
  await Promise.all(reads)
  expect(order).toEqual([1, 2, 3])
  expect((await store.aside(count)).value).toBe(0)
})

test('a store that closes ends what is read aside', async () => {
  const { store } = await open({}, false)
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const cut = store
    .aside(async (db) => {
      await count(db)
      begun.resolve()
      await gate.promise
      return count(db)
    })
    .catch((error) => error)
  const waiting = store.aside(count).catch((error) => error)
  await begun.promise
  await store.close()
  gate.resolve()
  for (const read of [cut, waiting]) expect(await read).toMatchObject({ code: 'server.shutting_down' })
})
