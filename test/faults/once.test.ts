import { expect, test } from 'vitest'
import { playsBoth, stores } from '../kit/database.ts'
import { BESIDE, nameOf, once } from './crash.ts'

const names = Array.from({ length: 12 }, (_, at) => [`n${at}.before-commit`, `n${at}.after-commit`]).flat()
/** Each is passed three times. */
const points = [1, 2, 3].flatMap((time) => [...names, 'between'].map((name) => `${name}:${time}`))

test.for([1, BESIDE])('of a play with 1 of %i on PostgreSQL, every name is crashed at once somewhere', (each) => {
  const [sqlite, postgres] = stores.map((store) => once(points, store, each).map(nameOf))
  expect(new Set(sqlite).size).toBe(sqlite!.length)
  expect(new Set(postgres).size).toBe(postgres!.length)
  expect([...new Set([...sqlite!, ...postgres!])].toSorted()).toEqual([...names, 'between'].toSorted())
  // Before a commit the stores take turns; after it SQLite takes all.
  expect(sqlite!.filter((name) => postgres!.includes(name) && name.endsWith('before-commit'))).toEqual([])
  expect(sqlite!.filter((name) => !name.endsWith('before-commit'))).toHaveLength(13)
})

test.skipIf(playsBoth)('PostgreSQL takes its half before the commits, and so many after them', () => {
  const chosen = once(points, 'postgres', BESIDE)
  expect(chosen.filter((point) => point.includes('before-commit'))).toHaveLength(6)
  expect(chosen.filter((point) => !point.includes('before-commit'))).toHaveLength(Math.ceil(13 / BESIDE))
  expect(chosen.every((point) => point.endsWith(':2'))).toBe(true)
})
