import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { search } from '../security/observed/search.ts'

/** Each line is judged under every set of rules; what any of them lets through is run. */
const LINES = 50_000

test('of 50,000 generated command lines none that is let through does more than the rules cover', async () => {
  const seed = randomInt(2 ** 31)
  const { read, ran, found } = await search(seed, { lines: LINES, runs: Number.POSITIVE_INFINITY })
  console.log(`seed ${seed}: ${read} lines, ${ran} run, ${found.length} beyond the rules`)
  expect(found).toEqual([])
})
