import { describe, expect, test, vi } from 'vitest'
import { agents, crashAt, dealt, recordPoints, sampled } from './crash.ts'

const points = sampled(await recordPoints(agents, 'postgres'), 'postgres')

vi.setConfig({ maxConcurrency: 6 })

describe.concurrent('a crash on PostgreSQL while agents talk', () => {
  test.for(dealt(points, 6))(
    'at %s and more loses nothing and does nothing twice',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(agents, 'postgres', some)).toEqual([])
    },
  )
})
