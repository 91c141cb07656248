import { describe, expect, test, vi } from 'vitest'
import { conversation, crashAt, dealt, recordPoints } from './crash.ts'

const points = await recordPoints(conversation, 'postgres')

// Most of the time is spent waiting for the leases of the dead to run out.
vi.setConfig({ maxConcurrency: 10 })

describe.concurrent('a crash on PostgreSQL', () => {
  test.for(dealt(points, 10))(
    'at %s and more loses nothing and does nothing twice',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(conversation, 'postgres', some)).toEqual([])
    },
  )
})
