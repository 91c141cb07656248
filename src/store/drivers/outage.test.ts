import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../../test/kit/database.ts'
import { findTask } from '../tasks.ts'
import { away, patiently, unknownEnd } from './outage.ts'
import { openPostgres } from './postgres.ts'

test('what met a database that is away is tried again; what may have been committed is not', async () => {
  let tries = 0
  const after = (error: Error) =>
    patiently(async () => {
      tries += 1
      if (tries === 1) throw error
      return tries
    })
  expect(await after(away(new Error('gone')))).toBe(2)
  tries = 0
  await expect(after(unknownEnd(new Error('gone')))).rejects.toMatchObject({ code: 'store.away' })
  expect(tries).toBe(1)
})

async function openStore() {
  const store = await openPostgres({ url: await createDatabase(), now: Date.now })
  onTestFinished(() => store.close())
  return store
}

test('of two transactions that wait for each other the database ends one, which is made again: both are done', async () => {
  const store = await openStore()
  const meet = Promise.withResolvers<void>()
  let tries = 0
  const inOrder = (first: number, second: number) =>
    store.write(async (db) => {
      tries += 1
      await sql`select pg_advisory_xact_lock(${first}::bigint)`.execute(db)
      if (tries === 2) meet.resolve()
      await meet.promise
      await sql`select pg_advisory_xact_lock(${second}::bigint)`.execute(db)
      return first
    })
  expect(await Promise.all([inOrder(1, 2), inOrder(2, 1)])).toEqual([1, 2])
  expect(tries).toBe(3)
})

test('a transaction that met another in its rows is made again, nine times at most', async () => {
  const store = await openStore()
  let tries = 0
  const conflicting = (times: number) =>
    store.write(async (db) => {
      tries += 1
      if (tries > times) return tries
      return sql`do $$ begin raise exception 'conflict' using errcode = 'serialization_failure'; end $$`.execute(db)
    })
  expect(await conflicting(1)).toBe(2)
  tries = 0
  await expect(conflicting(Number.POSITIVE_INFINITY)).rejects.toThrow('conflict')
  expect(tries).toBe(9)
})

test('a table that a newer program changed is read on, and written to, through statements that were kept by name', async () => {
  const store = await openStore()
  const [inTransaction, outside] = [
    () => store.write((db) => findTask(db, 'task_1')),
    () => findTask(store.read, 'task_1'),
  ]
  const look = () => Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? inTransaction() : outside())))
  await look()
  const kept = sql<{ text: string }>`select statement as text from pg_prepared_statements`
  const texts = (await store.write((db) => kept.execute(db))).rows.map(({ text }) => text)
  expect(texts).toContainEqual(expect.stringContaining('from "tasks" where "id" = $1'))
  await store.write((db) => sql`alter table tasks add column later bigint not null default 0`.execute(db))
  expect(await look()).toEqual(Array.from({ length: 20 }, () => undefined))
})
