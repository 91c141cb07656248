import { describe, expect, test, vi } from 'vitest'
import { stores } from '../kit/database.ts'
import { BESIDE, crashAt, dealt, nameOf, once, recordPoints } from './crash.ts'
import { fireBoundaries, firing } from './trigger-play.ts'

const LISTS = 2

const cases = await Promise.all(
  stores.map(async (store) => {
    const points = await recordPoints(firing, store)
    const own = points.filter((point) => /^(trigger|session\.create)\./.test(point))
    return { store, points, chosen: once(own, store, BESIDE) }
  }),
)

vi.setConfig({ maxConcurrency: 4 })

describe.concurrent.for(cases)('a crash around the time at which a trigger fires, on $store', ({ store, chosen }) => {
  test.for(dealt(chosen, LISTS))(
    'at %s and more leaves each occurrence one outcome and one effect',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(firing, store, some)).toEqual([])
    },
  )
})

test('every boundary of a fire was crossed', () => {
  const crossed = new Set(cases[0]!.points.map(nameOf))
  const wanted = fireBoundaries.flatMap((name) => [`${name}.before-commit`, `${name}.after-commit`])
  expect([...wanted, 'trigger.prepared'].filter((name) => !crossed.has(name))).toEqual([])
})
