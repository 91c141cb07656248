import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, putFile } from '../../../test/kit/files.ts'
import { protectedUnder } from './protected.ts'
import { isPlain } from './repositories.ts'
import { linksIn } from './repository-links.ts'

test('of a folder with more entries than are looked at the names nearest to its top are found, and it says so', async () => {
  const root = makeFolder()
  for (const path of ['.env', 'a/.env', 'a/b/c/.env', 'node_modules/x/.env']) putFile(join(root, path), '')
  const found = async (most?: number) => {
    const { paths, cut } = await protectedUnder(root, [], undefined, most)
    return [paths.map((path) => path.slice(root.length + 1)), cut]
  }
  expect(await found()).toEqual([['.env', 'a/.env', 'a/b/c/.env'], false])
  // Three at the top, two in a, one in b, one in c.
  expect(await found(7)).toEqual([['.env', 'a/.env', 'a/b/c/.env'], false])
  expect(await found(4)).toEqual([['.env', 'a/.env'], true])
  expect(await found(2)).toEqual([['.env'], true])
})

test('what lies deeper than a path can name is not looked for, and it says so', async () => {
  const root = makeFolder()
  const name = 'd'.repeat(250)
  execFileSync('bash', ['-c', `for at in {1..17}; do mkdir ${name} && cd -P ${name} || exit 1; done; touch .env`], {
    cwd: root,
  })
  expect(await protectedUnder(root, [], undefined)).toEqual({ paths: [], cut: true, unread: [] })
  // Node removes by path.
  execFileSync('rm', ['-r', join(root, name)])
})

test('a folder that may not be looked into is named, until it may', async () => {
  const root = makeFolder()
  putFile(join(root, 'shut/.env'), '')
  chmodSync(root, 0o755)
  chmodSync(join(root, 'shut'), 0)
  expect(await asAnyUser(() => protectedUnder(root, [], undefined))).toEqual({
    paths: [],
    cut: false,
    unread: [join(root, 'shut')],
  })
  chmodSync(join(root, 'shut'), 0o755)
  expect(await protectedUnder(root, [], undefined)).toMatchObject({ paths: [join(root, 'shut/.env')], unread: [] })
})

/** Root may look into everything. What is done at once is done as somebody else. */
function asAnyUser<T>(look: () => T): T {
  if (process.getuid?.() !== 0) return look()
  process.seteuid?.(65534)
  try {
    return look()
  } finally {
    process.seteuid?.(0)
  }
}

test('links in a repository are found among as many entries as are looked at, and where there are more it says so', async () => {
  const root = makeFolder()
  for (const name of ['objects/aa', 'logs', 'refs/heads']) mkdirSync(join(root, '.git', name), { recursive: true })
  putFile(join(root, '.git/config'), '')
  const place = join(root, '.git')
  const plain = () => isPlain(place, root, { PATH: process.env.PATH })
  expect([linksIn(place), await plain()]).toEqual([{ paths: [], cut: false }, true])
  symlinkSync('/etc/hostname', join(place, 'objects/aa/one'))
  symlinkSync('/etc/hostname', join(place, 'logs/HEAD'))
  expect([linksIn(place), await plain()]).toEqual([{ paths: [join(place, 'logs/HEAD')], cut: false }, false])
  expect(linksIn(place, 1).cut).toBe(true)
})
