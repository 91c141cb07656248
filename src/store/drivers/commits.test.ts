import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import type { Store } from '../store.ts'
import type { Db } from '../tables.ts'
import { openSqlite } from './sqlite.ts'

async function openStore(): Promise<{ store: Store; seen: () => unknown[] }> {
  const folder = makeFolder()
  const file = join(folder, 'data.db')
  const store = await openSqlite({ file, durability: 'process', now: () => 1 })
  const other = new DatabaseSync(file, { readOnly: true })
  onTestFinished(async () => {
    other.close()
    // One test has closed it already.
    await store.close().catch(() => {})
  })
  return {
    store,
    seen: () =>
      other
        .prepare('select id from projects order by id')
        .all()
        .map(({ id }) => id),
  }
}

const put = (db: Db, id: string) => db.insertInto('projects').values({ id, path: '/', created_at: 1 }).execute()
const ids = async (db: Db) => (await db.selectFrom('projects').select('id').orderBy('id').execute()).map(({ id }) => id)

test('what waits together is written one after the other and is on disk before any of it is said to be', async () => {
  const { store, seen } = await openStore()
  const work = ['a', 'b', 'c'].map((id) =>
    store.write(async (db) => {
      await put(db, id)
      return { inside: await ids(db), outside: seen() }
    }),
  )
  const onDisk = work.map((one) => one.then(seen))
  expect(await Promise.all(work)).toEqual([
    { inside: ['a'], outside: [] },
    { inside: ['a', 'b'], outside: [] },
    { inside: ['a', 'b', 'c'], outside: [] },
  ])
  expect(await Promise.all(onDisk)).toEqual(Array(3).fill(['a', 'b', 'c']))
})

test('one that throws leaves nothing, and is told so only when what it rests on is on disk', async () => {
  const { store, seen } = await openStore()
  const first = store.write((db) => put(db, 'first'))
  const refused = store.write(async (db) => {
    const there = await ids(db)
    await put(db, 'refused')
    throw new Error(`there already: ${there}`)
  })
  const told = refused.catch((error: Error) => [error.message, seen()])
  await first
  expect(await told).toEqual(['there already: first', ['first']])
})

test('one that throws takes back its own rows and no others', async () => {
  const { store, seen } = await openStore()
  const broken = store.write(async (db) => {
    await put(db, 'broken')
    throw new Error('no')
  })
  const twice = () => store.write((db) => put(db, 'twice'))
  const results = await Promise.allSettled([
    store.write((db) => put(db, 'first')),
    broken,
    twice(),
    twice(),
    store.write(ids),
  ])
  expect(results.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'rejected', 'fulfilled'],
    ...['rejected', 'fulfilled'],
  ])
  expect(results[4]).toMatchObject({ value: ['first', 'twice'] })
  expect(seen()).toEqual(['first', 'twice'])
})

test('one that throws alone leaves nothing, and the next one is written', async () => {
  const { store, seen } = await openStore()
  await expect(
    store.write(async (db) => {
      await put(db, 'broken')
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  await store.write((db) => put(db, 'next'))
  expect(seen()).toEqual(['next'])
})

test('more than one commit holds are all written, in their order', async () => {
  const { store, seen } = await openStore()
  const names = Array.from({ length: 200 }, (_, at) => `p${String(at).padStart(3, '0')}`)
  const done: string[] = []
  await Promise.all(names.map((id) => store.write((db) => put(db, id)).then(() => done.push(id))))
  expect(done).toEqual(names)
  expect(seen()).toEqual(names)
})

test('closing waits for what was still to be written', async () => {
  const { store, seen } = await openStore()
  const last = store.write((db) => put(db, 'last'))
  await store.close()
  await last
  expect(seen()).toEqual(['last'])
})
