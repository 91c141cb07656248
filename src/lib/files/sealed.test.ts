import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../../../test/kit/files.ts'
import { filesBelow, sealFiles } from './sealed.ts'

test('what is sealed is of one name only: a file that has another one is copied, and the other stays as it was', async () => {
  const folder = newFolder()
  const other = join(newFolder(), 'other.md')
  writeFileSync(other, 'As it was.')
  linkSync(other, join(folder, 'linked.md'))
  symlinkSync(other, join(folder, 'door.md'))
  const { paths, cut } = filesBelow(folder, { files: 10 })
  expect({ paths, cut }).toEqual({ paths: ['linked.md'], cut: undefined })
  const [sealed] = await sealFiles(folder, paths)
  expect(sealed).toMatchObject({ path: 'linked.md', size: 10 })
  writeFileSync(other, 'Changed later.')
  expect(readFileSync(join(folder, 'linked.md'), 'utf8')).toBe('As it was.')
  expect(statSync(join(folder, 'linked.md')).mode & 0o777).toBe(0o444)
  expect(statSync(other).mode & 0o200).toBe(0o200)
  expect(filesBelow(folder, { files: 10 }).paths).toEqual(['linked.md'])
})

test('files are counted up to a number and a size, and whatever else there is, is said and never waited for', () => {
  const folder = newFolder()
  const found = () => filesBelow(folder, { files: 3, bytes: 100 })
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), name)
  expect(found()).toEqual({ paths: ['a', 'b', 'c'], left: [], cut: undefined })
  writeFileSync(join(folder, 'd'), '')
  expect(found()).toEqual({ paths: ['a', 'b', 'c'], left: [], cut: 'more than 3 files' })
  truncateSync(join(folder, 'b'), 2 ** 40)
  expect(found()).toEqual({ paths: ['a', 'c', 'd'], left: [], cut: 'more than 100 bytes' })
  const wide = newFolder()
  for (let number = 0; number < 61; number += 1) mkdirSync(join(wide, String(number)))
  expect(filesBelow(wide, { files: 3 })).toEqual({ paths: [], left: [], cut: 'more than 60 files and folders' })
})

test('names that are no text and paths that are too long are told of, and the rest is found', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'a'), '')
  const script =
    "touch $'\\xff'; mkdir deep; cd deep; for i in {1..30}; do mkdir $(printf %0200d 1); cd 0*; done; touch end"
  execFileSync('bash', ['-c', script], { cwd: folder })
  expect(filesBelow(folder, { files: 100 })).toEqual({
    paths: ['a'],
    left: [],
    cut: expect.stringContaining('something that cannot be read'),
  })
  execFileSync('rm', ['-rf', folder])
})
