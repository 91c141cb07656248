import { describe, expect, test, vi } from 'vitest'
import { stores } from '../kit/database.ts'
import { BESIDE, crashAt, dealt, nameOf, once, recordPoints } from './crash.ts'
import { runBoundaries, running, runPlaces } from './run-play.ts'

const LISTS = 2
/** In one run: it has dozens of places to be killed at, and takes longer than a server to start. */
const KILLS = 4

const cases = await Promise.all(
  stores.map(async (store) => {
    const points = await recordPoints(running, store)
    const own = points.filter((point) => /^(run|node|stage|worker|publish|files)\./.test(point))
    return { store, points, chosen: once(own, store, BESIDE) }
  }),
)

vi.setConfig({ maxConcurrency: 4 })

describe.concurrent.for(cases)('a crash in a run, on $store', ({ store, chosen }) => {
  test.for(dealt(chosen, LISTS))(
    'at %s and more leaves it to end as if nothing had happened',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(running, store, some, { kills: KILLS })).toEqual([])
    },
  )
})

test('every boundary of a run was crossed', () => {
  const crossed = new Set(cases[0]!.points.map(nameOf))
  const wanted = runBoundaries.flatMap((name) => [`${name}.before-commit`, `${name}.after-commit`])
  expect([...wanted, ...runPlaces].filter((name) => !crossed.has(name))).toEqual([])
})
