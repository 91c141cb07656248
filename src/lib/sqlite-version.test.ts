import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { isSoundSqlite, loadedSqlite } from './sqlite-version.ts'

test.each([
  ['3.44.5', false],
  ['3.44.6', true],
  ['3.45.0', false],
  ['3.50.4', false],
  ['3.50.7', true],
  ['3.51.2', false],
  ['3.51.3', true],
  ['3.52.0', true],
  ['4.0.0', true],
  ['2.99.9', false],
  ['', false],
])('SQLite %s is sound: %s', (version, sound) => {
  expect(isSoundSqlite(version)).toBe(sound)
})

test('the version is what the loaded library says', () => {
  const said = new DatabaseSync(':memory:').prepare('select sqlite_version() as version').get()
  expect(loadedSqlite()).toBe(said?.version)
})
