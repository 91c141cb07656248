import { expect, onTestFinished, test } from 'vitest'
import { createDatabase, dropDatabase } from '../../../test/kit/database.ts'
import { databaseClock } from './database-clock.ts'
import { openPostgres } from './postgres.ts'

test("what is known of the database's time is not given up for an answer that took longer", async () => {
  const url = await createDatabase()
  const store = await openPostgres({ url, now: Date.now })
  onTestFinished(async () => {
    await store.close()
    await dropDatabase(url)
  })
  const moments: number[] = []
  const clock = databaseClock(() => moments.shift() ?? 0)
  /** Whether the middle between question and answer is the database's time from now on. */
  const counts = async (asked: number, took: number): Promise<boolean> => {
    moments.push(asked, asked + took, asked + took / 2)
    const now = await clock.ask(store.read)
    return clock.now() === now
  }
  expect(await counts(0, 4000)).toBe(true)
  expect(await counts(10_000, 5000)).toBe(false)
  expect(await counts(20_000, 500)).toBe(true)
  expect(await counts(30_000, 600)).toBe(false)
  expect(await counts(40_000, 20)).toBe(true)
  expect(await counts(50_000, 90)).toBe(true)
})
