import { expect, test } from 'vitest'
import { search } from '../security/observed/search.ts'
import { seed, share } from './bounds.ts'

/** Each line is judged under every set of rules; what any of them lets through is run. */
const LINES = Math.ceil(50_000 * share)

test(`of ${LINES} generated command lines none that is let through does more than the rules cover`, async () => {
  const { read, ran, found } = await search(seed, { lines: LINES, runs: Number.POSITIVE_INFINITY }, console.log)
  console.log(`TROUPE_SOAK_SEED=${seed}: ${read} lines, ${ran} run, ${found.length} beyond the rules`)
  expect(found).toEqual([])
})
