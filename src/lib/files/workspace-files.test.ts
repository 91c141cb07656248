import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { PathError, resolveInside } from './paths.ts'
import { openFolderInside, readInside, writeInside } from './workspace-files.ts'

test('an opened folder stays itself when its name comes to mean another', async () => {
  const root = makeFolder()
  for (const name of ['sub', 'outside']) {
    mkdirSync(join(root, name))
    writeFileSync(join(root, name, 'file'), name)
  }
  const folder = await openFolderInside(root, 'sub')
  onTestFinished(() => folder.handle.close())
  renameSync(join(root, 'sub'), join(root, 'moved'))
  symlinkSync('outside', join(root, 'sub'))
  expect(readFileSync(join(folder.path, 'file'), 'utf8')).toBe('sub')
})

/** A root, a folder beside it, and a link from the root to it. `swap` puts the link in place of a folder of the root. */
function swappable() {
  const folder = makeFolder()
  const [root, outside] = [join(folder, 'root'), join(folder, 'outside')]
  mkdirSync(join(root, 'sub'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(root, 'sub', 'file'), 'inside')
  writeFileSync(join(outside, 'file'), 'canary')
  symlinkSync('../outside', join(root, 'link'))
  const swap = (): void => {
    renameSync(join(root, 'sub'), join(root, 'real'))
    renameSync(join(root, 'link'), join(root, 'sub'))
  }
  const untouched = (): void => {
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('canary')
    expect(readdirSync(outside)).toEqual(['file'])
  }
  return { root, swap, untouched }
}

test.each<[string, (root: string, resolve: typeof resolveInside) => Promise<unknown>]>([
  ['read', (root, resolve) => readInside(root, 'sub/file', 100, resolve)],
  ['written', (root, resolve) => writeInside(root, 'sub/file', 'inside', resolve)],
  ['made', (root, resolve) => writeInside(root, 'sub/new/file', 'inside', resolve)],
  ['opened as a folder', (root, resolve) => openFolderInside(root, 'sub', resolve)],
])('what is swapped for a link after the check and before it is %s leads nowhere outside', async (_, use) => {
  const { root, swap, untouched } = swappable()
  const resolve: typeof resolveInside = async (...about) => {
    const real = await resolveInside(...about)
    swap()
    return real
  }
  await expect(use(root, resolve)).rejects.toBeInstanceOf(PathError)
  untouched()
})

test.each([
  ['before the check', 0],
  ['after it', 1],
])('a link that takes the place of the root itself %s leads nowhere outside', async (_, when) => {
  const { root, untouched } = swappable()
  const swap = (): void => {
    renameSync(root, `${root}-moved`)
    symlinkSync('outside', root)
  }
  const resolve: typeof resolveInside = async (...about) => {
    if (when === 0) swap()
    const real = await resolveInside(...about)
    if (when === 1) swap()
    return real
  }
  const back = (): void => {
    rmSync(root)
    renameSync(`${root}-moved`, root)
  }
  for (const use of [
    () => readInside(root, 'sub/file', 100, resolve),
    () => readInside(root, 'sub/../sub/file', 100, resolve),
    () => writeInside(root, 'file', 'inside', resolve),
    () => writeInside(root, 'new/file', 'inside', resolve),
    () => openFolderInside(root, '.', resolve),
  ]) {
    await expect(use()).rejects.toThrow()
    back()
    untouched()
  }
})

test('a folder that is swapped for a link and back all the time leads nowhere outside', async () => {
  const { root, untouched } = swappable()
  const swap = 'while (1) { rename "sub", "real"; rename "link", "sub"; rename "sub", "link"; rename "real", "sub" }'
  const swapper = spawn('perl', ['-e', swap], { cwd: root, stdio: 'ignore' })
  onTestFinished(async () => {
    swapper.kill('SIGKILL')
    await new Promise((resolve) => swapper.once('exit', resolve))
  })

  for (let attempt = 0; attempt < 1500; attempt += 1) {
    try {
      const { bytes } = await readInside(root, 'sub/file', 100)
      expect(bytes.toString()).toBe('inside')
      if (attempt % 10 === 0) await writeInside(root, 'sub/file', 'inside')
    } catch (error) {
      expect(error).toBeInstanceOf(PathError)
    }
  }
  untouched()
})
