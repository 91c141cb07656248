import { existsSync, fstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { checkReal, holdDescriptors, makeReal, Swapped } from './descriptors.ts'

/** A folder with a file in it, and links to both. */
function place() {
  const root = makeFolder()
  mkdirSync(join(root, 'real/deep'), { recursive: true })
  writeFileSync(join(root, 'real/file'), '')
  symlinkSync('real', join(root, 'link'))
  symlinkSync('real/file', join(root, 'file-link'))
  const descriptors = holdDescriptors()
  onTestFinished(descriptors.close)
  return { root, descriptors }
}

test('what is at its real path is opened and numbered in order; what is not there is left out', () => {
  const { root, descriptors } = place()
  expect(['real', 'real/none', 'real/file', 'real/file/x'].map((path) => descriptors.open(join(root, path)))).toEqual([
    4,
    undefined,
    5,
    undefined,
  ])
  expect(descriptors.all.map((descriptor) => fstatSync(descriptor).ino)).toEqual(
    ['real', 'real/file'].map((path) => statSync(join(root, path)).ino),
  )
})

test.each(['link', 'link/deep', 'link/file', 'file-link'])('%s is refused, and nothing stays open', (path) => {
  const { root, descriptors } = place()
  expect(() => descriptors.open(join(root, path))).toThrow(Swapped)
  expect(() => checkReal(join(root, path))).toThrow(/leads to .*real/)
  expect(descriptors.all).toEqual([])
})

test('a missing file is made in a real folder, and through no link', () => {
  const { root } = place()
  makeReal(join(root, 'real/new'))
  makeReal(join(root, 'none/new'))
  expect(() => makeReal(join(root, 'link/other'))).toThrow(Swapped)
  expect(['real/new', 'none', 'real/other'].map((path) => existsSync(join(root, path)))).toEqual([true, false, false])
})
