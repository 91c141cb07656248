import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StoreKind } from '../database.ts'
import { inPlace } from './place.ts'
import { pointsIn } from './points.ts'
import { runScenario } from './scenario.ts'
import { verdict } from './verdict.ts'

/** Runs the scenario once untouched, then once for every boundary it passed, crashing there. */
export async function crashEverywhere(store: StoreKind, passed: (points: readonly string[]) => void): Promise<void> {
  const points = await untouched(store)
  passed(points)
  describe.concurrent(`a crash on ${store}`, () => {
    test.for(points)('at %s loses nothing and does nothing twice', async (point) => {
      const outcome = await inPlace(store, (place) => runScenario(place, { first: { TROUPE_CRASH_AT: point } }))
      expect(verdict(outcome)).toEqual([])
      // How often a later pass happens depends on who is faster; the first one always does.
      if (point.endsWith(':1')) expect(outcome.crashes).toBe(1)
    })
  })
}

const untouched = (store: StoreKind): Promise<string[]> =>
  inPlace(store, async (place) => {
    const record = join(place.home, 'points')
    const outcome = await runScenario(place, { first: { TROUPE_CRASH_RECORD: record } })
    const wrong = verdict(outcome)
    if (wrong.length > 0) throw new Error(`The scenario fails without a crash: ${wrong.join('; ')}`)
    return pointsIn(record)
  })
