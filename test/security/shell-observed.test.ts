import { expect, test } from 'vitest'
import { search } from './observed/search.ts'

/** `npm run soak` takes a new seed each time, and far more lines. */
const SEED = 12

test('no generated command line that is let through does more than the rules cover', async () => {
  const { asked, ran, found } = await search(SEED, { asks: 6000, runs: 150 })
  expect(found).toEqual([])
  expect([asked > 1000, ran > 50]).toEqual([true, true])
})
