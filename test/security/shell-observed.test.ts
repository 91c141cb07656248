import { expect, test } from 'vitest'
import { search } from './observed/search.ts'

/** `npm run soak` takes a new seed each time, and far more lines. */
const SEED = 12

test('no generated command line that is let through does more than the rules cover', { timeout: 240_000 }, async () => {
  const { read, ran, found } = await search(SEED, { lines: 600, runs: 60 })
  expect(found).toEqual([])
  expect([read > 200, ran > 50]).toEqual([true, true])
})
