import { expect, test } from 'vitest'
import { stores } from '../database.ts'
import { crashAt, recordPoints } from '../faults/crash.ts'
import { minutes, rounds } from './bounds.ts'

const REPEATS = 20

test.for(stores)(
  'a crash at every boundary on %s, over and over, loses nothing and does nothing twice',
  async (store) => {
    const end = performance.now() + minutes * 60_000
    const points = await recordPoints(store)
    for (let repeat = 0; repeat < Math.min(REPEATS, rounds) && performance.now() < end; repeat += 1) {
      expect(await crashAt(store, points)).toEqual([])
    }
  },
)
