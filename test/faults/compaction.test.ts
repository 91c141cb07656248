import { describe, expect, test, vi } from 'vitest'
import { stores } from '../kit/database.ts'
import { compactionBoundaries, ofCompaction, story } from './compaction-play.ts'
import { crashAt, dealt, nameOf, once, recordPoints } from './crash.ts'

vi.setConfig({ maxConcurrency: 4 })

const cases = await Promise.all(
  stores.map(async (store) => {
    const points = ofCompaction(await recordPoints(story, store))
    return { store, points, chosen: once(points, store) }
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
