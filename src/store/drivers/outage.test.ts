import { expect, test } from 'vitest'
import { away, patiently, unknownEnd } from './outage.ts'

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
