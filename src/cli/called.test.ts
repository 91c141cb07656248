import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from '../../test/kit/files.ts'
import { asCalled, calledFrom, troupe } from './called.ts'
import { endHere } from './remarks.ts'

const root = makeFolder(afterAll)
const put = (...path: string[]): string => {
  mkdirSync(join(root, ...path, 'bin'), { recursive: true })
  const file = join(root, ...path, 'bin', 'troupe.mjs')
  writeFileSync(file, '')
  return file
}
const clone = put('clone')
const local = put('app', 'node_modules', 'troupe')
const spaced = put('my clone')
const linked = join(root, 'path')
mkdirSync(linked)
symlinkSync(clone, join(linked, 'troupe'))
const added = join(root, 'app', 'node_modules', '.bin')
mkdirSync(added)
symlinkSync(local, join(added, 'troupe'))
const path = (...folders: string[]): string => ['/nowhere', ...folders].join(delimiter)

test.each([
  ['in the clone, not linked', clone, path(), join(root, 'clone'), 'node bin/troupe.mjs'],
  ['elsewhere, not linked', clone, path(), join(root, 'app'), `node ${clone}`],
  ['in a folder whose name has a space', spaced, path(), root, 'node "my clone/bin/troupe.mjs"'],
  ['linked or installed', clone, path(linked), root, 'troupe'],
  ['beside another program of that name', spaced, path(linked), join(root, 'my clone'), 'node bin/troupe.mjs'],
  ['a dependency of a project, run by npm', local, path(added), join(root, 'app'), 'npx troupe'],
])('%s', (_, file, search, here, name) => {
  expect(calledFrom(file, search, here)).toBe(name)
})

test("a server's sentence names the command that works here, and leaves other words alone", () => {
  expect(asCalled('Choose one with "troupe sessions model".')).toBe(`Choose one with "${troupe} sessions model".`)
  expect(asCalled('See: troupe inbox')).toBe(`See: ${troupe} inbox`)
  expect(asCalled('Another troupe server runs.')).toBe('Another troupe server runs.')
  const failed = endHere('error', 'Run "troupe accounts".')
  expect(failed).toEqual({ kind: 'failed', text: `error: Run "${troupe} accounts".` })
})

test('no sentence of the command line names the program itself: it may be called otherwise', () => {
  const told = /(?<![\w./{-])troupe [a-z]+/
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    // The starter's files are for others, who call it in their own way.
    .filter((name) => !name.endsWith('init-starter.ts') && name !== 'called.ts')
  const lines = files.flatMap((name) =>
    readFileSync(join(import.meta.dirname, name), 'utf8')
      .split('\n')
      .filter((line) => told.test(line) && !/^\s*(\/\/|\/?\*)/.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  )
  expect(files.length).toBeGreaterThan(50)
  expect(lines).toEqual([])
})
