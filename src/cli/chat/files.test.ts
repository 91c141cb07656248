import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { filesOf, matching } from './files.ts'

const folder = makeFolder(afterAll)

test('the files of the project are offered, without what .gitignore names', async () => {
  mkdirSync(join(folder, 'src'))
  mkdirSync(join(folder, 'built'))
  writeFileSync(join(folder, '.gitignore'), 'built/\n')
  writeFileSync(join(folder, 'src', 'a.ts'), '')
  writeFileSync(join(folder, 'built', 'a.js'), '')
  const { promise, resolve } = Promise.withResolvers<void>()
  const files = filesOf(folder, () => 0, resolve)
  expect(files()).toEqual([])
  await promise
  expect(files()).toEqual(['.gitignore', 'src/a.ts'])
})

test('what begins with the typed letters comes first, then what has them anywhere', () => {
  const paths = ['docs/mail.md', 'src/email.ts', 'mail.ts', 'src/main/index.ts', 'other.ts']
  expect(matching(paths, 'mail', 10)).toEqual(['mail.ts', 'docs/mail.md', 'src/email.ts'])
  expect(matching(paths, 'mnx', 10)).toEqual(['src/main/index.ts'])
  expect(matching(paths, 'ma', 1)).toEqual(['mail.ts'])
})
