import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders } from '../../../test/kit/folders.ts'
import { listFolder, readSmall, writeAtomic } from './files.ts'
import { digestTree } from './trees.ts'

test('a file is read again when it changes, also to the same length at the same moment', () => {
  const { put } = makeFolders()
  const path = put('a.md', 'one')
  const { mtime } = statSync(path)
  expect(readSmall(path)?.text).toBe('one')
  writeFileSync(path, 'two')
  utimesSync(path, mtime, mtime)
  expect(readSmall(path)?.text).toBe('two')
  rmSync(path)
  expect(readSmall(path)).toBeUndefined()
  writeFileSync(path, 'three')
  expect(readSmall(path)?.text).toBe('three')
})

test('the same object comes back while the content stays', () => {
  const { put } = makeFolders()
  const path = put('a.md', 'one')
  const first = readSmall(path)
  writeFileSync(path, 'one')
  expect(readSmall(path)).toBe(first)
})

test('a file beyond the limit is cut between characters and says so', () => {
  const { put } = makeFolders()
  const path = put('a.md', 'ää')
  expect(readSmall(path, { limit: 3 })).toMatchObject({ text: 'ä', cut: true })
  expect(readSmall(path, { limit: 4 })).toMatchObject({ text: 'ää', cut: false })
})

test('a folder or a pipe in the place of a file is a problem, not a hang', () => {
  const { project } = makeFolders()
  const pipe = join(project.path, 'pipe.md')
  execFileSync('mkfifo', [pipe])
  expect(readSmall(pipe)?.problem).toBe('is not a file')
  expect(readSmall(project.path)?.problem).toBe('is not a file')
})

test('a link out of the root, or to another kind of file, is not followed', () => {
  const { core, project, put, putHome } = makeFolders()
  const secret = putHome('secret.md', 'SECRET')
  put('.env', 'SECRET')
  put('CLAUDE.md', 'fine')
  const root = project.path
  const link = (name: string, target: string): string => {
    symlinkSync(target, join(root, name))
    return join(root, name)
  }
  expect(readSmall(link('out.md', secret), { root })).toMatchObject({
    text: '',
    problem: expect.stringMatching('out of'),
  })
  expect(readSmall(link('env.md', '.env'), { root })).toMatchObject({
    text: '',
    problem: expect.stringMatching('kind'),
  })
  expect(readSmall(link('good.md', 'CLAUDE.md'), { root })?.text).toBe('fine')
  symlinkSync(core.home, join(root, 'folder'))
  expect(readSmall(join(root, 'folder', 'secret.md'), { root })?.text).toBe('')
})

test('writing replaces a file whole, keeps its mode and leaves nothing beside it', () => {
  const { put } = makeFolders()
  const path = put('deep/a.json', 'old')
  execFileSync('chmod', ['640', path])
  writeAtomic(path, 'new')
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(statSync(path).mode & 0o777).toBe(0o640)
  writeAtomic(path, 'private', 0o600)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(dirname(path))).toEqual(['a.json'])
})

test('a listing follows the folder', () => {
  const { put, project } = makeFolders()
  put('list/b.md', '')
  mkdirSync(join(project.path, 'list', 'a'))
  expect(listFolder(join(project.path, 'list'))).toEqual([
    { name: 'a', folder: true },
    { name: 'b.md', folder: false },
  ])
  rmSync(join(project.path, 'list', 'b.md'))
  expect(listFolder(join(project.path, 'list'))).toHaveLength(1)
  expect(listFolder(join(project.path, 'nowhere'))).toEqual([])
})

test('the digest of a tree changes with any name or content in it, also behind a link, and ends in loops', () => {
  const { put, putHome, project } = makeFolders()
  put('tool/index.js', '1')
  const shared = putHome('shared.js', '1')
  symlinkSync(shared, join(project.path, 'tool', 'shared.js'))
  symlinkSync('.', join(project.path, 'tool', 'loop'))
  const digest = () => digestTree(join(project.path, 'tool'))?.digest
  const seen = [digest()]
  expect(digest()).toBe(seen[0])
  put('tool/index.js', '2')
  seen.push(digest())
  put('tool/node_modules/x/index.js', '1')
  seen.push(digest())
  writeFileSync(shared, '2')
  seen.push(digest())
  expect(new Set(seen).size).toBe(4)
})

test('a tree too big to vouch for says so', () => {
  const { put } = makeFolders()
  const folder = dirname(put('tool/index.js', ''))
  for (let at = 0; at < 5000; at++) writeFileSync(join(folder, `${at}.js`), '')
  expect(digestTree(folder)?.problem).toMatch('more than 5000 files')
})
