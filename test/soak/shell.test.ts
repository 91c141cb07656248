import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { search } from '../security/observed/search.ts'

/** Each line is judged under every set of rules, which makes an ask each. */
const ASKS = 50_000

test('of 50,000 asks about generated command lines none that is let through does more than the rules cover', async () => {
  const seed = randomInt(2 ** 31)
  const { asked, ran, found } = await search(seed, { asks: ASKS, runs: ASKS })
  console.log(`seed ${seed}: ${asked} asks, ${ran} run, ${found.length} beyond the rules`)
  expect(found).toEqual([])
})
