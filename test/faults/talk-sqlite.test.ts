import { describe, expect, test } from 'vitest'
import { agents, crashAt, dealt, recordPoints } from './crash.ts'

const points = await recordPoints(agents, 'sqlite')

describe.concurrent('a crash on SQLite while agents talk', () => {
  test.for(dealt(points, 5))(
    'at %s and more loses nothing and does nothing twice',
    { timeout: 900_000 },
    async (some) => {
      expect(await crashAt(agents, 'sqlite', some)).toEqual([])
    },
  )
})
