import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, putFile } from '../../../test/kit/files.ts'
import { besideAll } from './beside.ts'

/** A workspace and the repositories in it, each with these lines in its configuration. */
function makePlace(repositories: Record<string, string>, general = '') {
  const root = makeFolder()
  const [workspace, home] = [join(root, 'work'), join(root, 'home')]
  putFile(join(home, '.gitconfig'), general)
  for (const [name, config] of Object.entries(repositories)) {
    for (const folder of ['objects', 'refs']) mkdirSync(join(workspace, name, '.git', folder), { recursive: true })
    putFile(join(workspace, name, '.git/HEAD'), 'ref: refs/heads/main\n')
    putFile(join(workspace, name, '.git/config'), config)
  }
  const closed = Object.keys(repositories).map((name) => join(workspace, name, '.git'))
  const beside = async (most?: number, more: readonly string[] = []) =>
    (await besideAll(workspace, [], [...more, ...closed], { PATH: process.env.PATH, HOME: home }, most)).map((path) =>
      path.slice(workspace.length + 1),
    )
  return { workspace, beside }
}

const hooked = '[core]\n\thooksPath = .githooks\n'

test('of fifty repositories in a workspace that name programs all are looked at, of more the first fifty', async () => {
  const { beside } = makePlace(Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`r${at}`, hooked])))
  const found = await beside()
  expect([found.length, found.includes('r49/.githooks'), found.includes('r50/.githooks')]).toEqual([50, true, false])
})

test('worktrees, of which git at work makes any number, push no repository out', async () => {
  const { workspace, beside } = makePlace({ sub: hooked })
  const worktrees = ['a', 'b'].map((name) => putFile(join(workspace, name, '.git'), 'gitdir: /nowhere\n'))
  expect(await beside(1, worktrees)).toEqual(['sub/.githooks'])
})

test.each([
  '[filter "x"]\n\tsmudge = sh tools/run.sh\n',
  '[filter "x"]\n\tprocess = tools/run.sh\n',
  '[core]\n\tfsmonitor = tools/run.sh\n',
  '[core]\n\teditor = tools/run.sh\n',
  '[core]\n\tpager = tools/run.sh\n',
  '[core]\n\taskPass = tools/run.sh\n',
  '[core]\n\tgitProxy = tools/run.sh\n',
  '[alias]\n\tx = !tools/run.sh\n',
  '[diff]\n\texternal = tools/run.sh\n',
  '[gpg]\n\tprogram = tools/run.sh\n',
  '[credential]\n\thelper = !tools/run.sh\n',
  '[mergetool "x"]\n\tcmd = tools/run.sh\n',
  '[interactive]\n\tdiffFilter = tools/run.sh\n',
  '[remote "x"]\n\treceivepack = tools/run.sh\n',
])('a program that a repository in the workspace names is beside it: %j', async (config) => {
  const { beside } = makePlace({ sub: config })
  expect(await beside()).toEqual(['sub/tools/run.sh'])
})

test('what the person set for every repository holds for those in the workspace, and so does a link to hooks', async () => {
  const { workspace, beside } = makePlace({ plain: '', linked: '' }, hooked)
  mkdirSync(join(workspace, 'linked/my-hooks'))
  symlinkSync('../my-hooks', join(workspace, 'linked/.git/hooks'))
  expect(await beside()).toEqual(['plain/.githooks', 'linked/my-hooks', 'linked/.githooks'])
})

test('that is so for the first five hundred of them', async () => {
  const { beside } = makePlace(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`r${at}`, ''])), hooked)
  const found = await beside()
  expect([found.length, found.at(-1)]).toEqual([500, 'r499/.githooks'])
})
