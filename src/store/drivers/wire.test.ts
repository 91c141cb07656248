import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../../test/kit/database.ts'
import type { Store } from '../store.ts'
import type { Db } from '../tables.ts'
import { openPostgres } from './postgres.ts'
import { prepared } from './prepared.ts'

async function openStore(): Promise<Store> {
  const store = await openPostgres({ url: await createDatabase(), now: Date.now })
  onTestFinished(() => store.close())
  return store
}

const addProject = prepared((db, id: string) => db.insertInto('projects').values({ id, path: id, created_at: 0 }))
const move = prepared((db, id: string, path: string) => db.updateTable('projects').set({ path }).where('id', '=', id))
const projects = prepared((db) => db.selectFrom('projects').select(['id', 'path']).orderBy('id'))

const idsIn = async (db: Db): Promise<string[]> => (await projects(db)).map(({ id }) => id)

test('a write that nobody waited for is seen by the read behind it, and is there after the commit', async () => {
  const store = await openStore()
  const seen = await store.write(async (db) => {
    for (const id of ['a', 'b', 'c']) await addProject(db, id)
    return idsIn(db)
  })
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(await idsIn(store.read)).toEqual(['a', 'b', 'c'])
})

const behind: Record<string, (store: Store, db: Db) => Promise<unknown>> = {
  nothing: async () => {},
  'another write': (_, db) => addProject(db, 'never'),
  'a read': (_, db) => idsIn(db),
  'an event': (store, db) => note(store, db),
}

test.each(Object.keys(behind))(
  'a write that fails with %s behind it ends its transaction with its own failure',
  async (what) => {
    const store = await openStore()
    await store.write((db) => addProject(db, 'a'))
    const twice = store.write(async (db) => {
      await addProject(db, 'b')
      await addProject(db, 'a')
      await behind[what]!(store, db)
    })
    await expect(twice).rejects.toMatchObject({ code: '23505' })
    expect(await idsIn(store.read)).toEqual(['a'])
  },
)

test('a write that fails behind the events of its transaction takes them back', async () => {
  const store = await openStore()
  await store.write((db) => addProject(db, 'a'))
  const twice = store.write(async (db) => {
    await note(store, db)
    await addProject(db, 'a')
  })
  await expect(twice).rejects.toMatchObject({ code: '23505' })
  expect((await store.readEvents({ limit: 10 })).items).toEqual([])
})

test('two whose writes wait for each other are both done, the one that the database ended at its second try', async () => {
  const store = await openStore()
  await store.write(async (db) => {
    for (const id of ['a', 'b']) await addProject(db, id)
  })
  const meet = Promise.withResolvers<void>()
  let tries = 0
  const inOrder = (first: string, second: string) =>
    store.write(async (db) => {
      tries += 1
      await move(db, first, `${first}${second}`)
      await projects(db)
      if (tries === 2) meet.resolve()
      await meet.promise
      await move(db, second, `${first}${second}`)
    })
  await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')])
  expect(tries).toBe(3)
  expect(new Set((await projects(store.read)).map(({ path }) => path)).size).toBe(1)
})

const note = (store: Store, db: Db): Promise<void> =>
  store.appendEvents(db, [
    { at: 0, type: 'log', project: 'a', sessionId: null, data: { level: 'info', message: 'never' } },
  ])
