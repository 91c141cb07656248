import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder, putFile } from '../../../test/kit/files.ts'
import { packagesOf } from './box.ts'

test('of a command line the packages of the files that it names are seen, and nothing else', () => {
  const root = makeFolder(afterAll)
  const at = (path: string): string => join(root, path)
  putFile(at('own/package.json'), '{}')
  for (const path of ['own/lib/main.js', 'app/node_modules/server/dist/index.js', 'alone/main.js'])
    putFile(at(path), '')
  expect(packagesOf(['node', 'own/lib/main.js', at('own/lib/main.js'), at('missing.js'), at('own')])).toEqual([
    at('own'),
  ])
  expect(packagesOf([at('app/node_modules/server/dist/index.js'), at('alone/main.js')])).toEqual([
    at('app'),
    at('alone'),
  ])
})
