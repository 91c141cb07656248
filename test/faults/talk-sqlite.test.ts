import { describe, expect, test, vi } from 'vitest'
import { agents, crashAt, dealt, recordPoints, sampled } from './crash.ts'

const points = sampled(await recordPoints(agents, 'sqlite'), 'sqlite')

vi.setConfig({ maxConcurrency: 4 })

describe.concurrent('a crash on SQLite while agents talk', () => {
  test.for(dealt(points, 4))(
    'at %s and more loses nothing and does nothing twice',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(agents, 'sqlite', some)).toEqual([])
    },
  )
})
