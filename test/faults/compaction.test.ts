import { describe, expect, test, vi } from 'vitest'
import { stores } from '../kit/database.ts'
import { compactionEnds, compactionThatEnds } from './compaction-ends-play.ts'
import { compactionBoundaries, ofCompaction, story } from './compaction-play.ts'
import { BESIDE, crashAt, dealt, nameOf, once, recordPoints } from './crash.ts'

vi.setConfig({ maxConcurrency: 4 })

const cases = await Promise.all(
  stores.map(async (store) => {
    const points = ofCompaction(await recordPoints(story, store))
    return { store, points, chosen: once(points, store, BESIDE) }
  }),
)

describe.concurrent.for(cases)('a crash on $store while a history is compacted', ({ store, chosen }) => {
  test.for(dealt(chosen, 2))(
    'at %s and more leaves it as it was or goes on with it, and pays for nothing twice',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(story, store, some)).toEqual([])
    },
  )
})

test('every boundary of a compaction was crossed', () => {
  const crossed = cases.flatMap(({ points }) => points.map(nameOf))
  const all = compactionBoundaries.flatMap((name) => [`${name}.before-commit`, `${name}.after-commit`])
  expect([...all, 'compaction.answered'].filter((name) => !crossed.includes(name))).toEqual([])
})

/** After each commit, and where money is written before it. A point that is not passed is told as well. */
const ends = [...compactionEnds.map((name) => `${name}.after-commit:1`), 'compaction.stop.before-commit:1']

test.for(stores)(
  'a crash on %s around a compaction that is called off or refused leaves the history as it was',
  { timeout: 600_000 },
  async (store) => {
    const some = store === 'sqlite' ? ends : ends.slice(1, 2)
    expect(await crashAt(compactionThatEnds, store, some)).toEqual([])
  },
)
