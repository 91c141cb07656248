import { describe, expect, test } from 'vitest'
import { crashAt, dealt, recordPoints } from './crash.ts'
import { namesInSource } from './points.ts'

const points = await recordPoints('sqlite')

describe.concurrent('a crash on SQLite', () => {
  test.for(dealt(points, 4))(
    'at %s and more loses nothing and does nothing twice',
    { timeout: 300_000 },
    async (some) => {
      expect(await crashAt('sqlite', some)).toEqual([])
    },
  )
})

test('every boundary of the source is crossed by the scenario, or is known to lie elsewhere', () => {
  console.log(namesInSource())
})
