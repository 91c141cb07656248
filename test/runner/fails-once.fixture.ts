import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('fails the first time', () => {
  const mark = process.env.TROUPE_TEST_MARK!
  const seen = existsSync(mark)
  writeFileSync(mark, '')
  expect(seen).toBe(true)
})
