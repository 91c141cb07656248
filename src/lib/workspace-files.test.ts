import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PathError } from './paths.ts'
import { openFolderInside, readInside, writeInside } from './workspace-files.ts'

test('an opened folder stays itself when its name comes to mean another', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-swap-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
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

test('a folder that is swapped for a link all the time leads nowhere outside', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-race-')))
  const [root, outside] = [join(folder, 'root'), join(folder, 'outside')]
  mkdirSync(join(root, 'sub'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(root, 'sub', 'file'), 'inside')
  writeFileSync(join(outside, 'file'), 'canary')
  symlinkSync('../outside', join(root, 'link'))
  const swap = 'while (1) { rename "sub", "real"; rename "link", "sub"; rename "sub", "link"; rename "real", "sub" }'
  const swapper = spawn('perl', ['-e', swap], { cwd: root, stdio: 'ignore' })
  onTestFinished(async () => {
    swapper.kill('SIGKILL')
    await new Promise((resolve) => swapper.once('exit', resolve))
    rmSync(folder, { recursive: true, force: true })
  })

  let [done, refused] = [0, 0]
  for (let attempt = 0; attempt < 1500; attempt += 1) {
    try {
      const { bytes } = await readInside(root, 'sub/file', 100)
      expect(bytes.toString()).not.toBe('canary')
      if (attempt % 10 === 0) await writeInside(root, 'sub/file', 'inside')
      done += 1
    } catch (error) {
      expect(error).toBeInstanceOf(PathError)
      refused += 1
    }
  }
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('canary')
  expect(readdirSync(outside)).toEqual(['file'])
  // Both must have happened, or there was no race.
  expect(done).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
})
