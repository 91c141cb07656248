import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { runGit } from './git.ts'

const person = { PATH: process.env.PATH, HOME: '/nonexistent' }

/** A repository that names a program of its own wherever git would run one. */
function makeHostile() {
  const root = makeFolder()
  const repository = join(root, 'repo')
  const marker = join(root, 'marker')
  const evil = join(root, 'evil')
  mkdirSync(repository)
  writeFileSync(evil, `#!/bin/sh\necho "$0 $@" >> ${marker}\ncat 2>/dev/null\nexit 0\n`)
  chmodSync(evil, 0o755)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: repository,
      stdio: 'pipe',
      env: { ...person, GIT_CONFIG_NOSYSTEM: '1' },
    })
  git('init', '-q', '-b', 'main')
  writeFileSync(join(repository, 'a.txt'), 'one\n')
  writeFileSync(join(repository, 'a.bin'), 'one\n')
  writeFileSync(join(repository, '.gitattributes'), '*.txt filter=evil diff=evil merge=evil\n*.bin filter=proc\n')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  git('branch', 'side')
  writeFileSync(join(repository, 'a.txt'), 'two\n')
  git('commit', '-q', '-am', 'second')
  for (const hook of [
    'post-checkout',
    'post-index-change',
    'pre-commit',
    'post-merge',
    'reference-transaction',
    'pre-merge-commit',
    'commit-msg',
    'post-rewrite',
  ]) {
    writeFileSync(join(repository, '.git', 'hooks', hook), `#!/bin/sh\necho ${hook} >> ${marker}\n`)
    chmodSync(join(repository, '.git', 'hooks', hook), 0o755)
  }
  for (const key of [
    ...[
      'core.fsmonitor',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.proc.process',
      'diff.external',
      'diff.evil.command',
    ],
    ...[
      'diff.evil.textconv',
      'merge.evil.driver',
      'core.pager',
      'pager.log',
      'core.sshCommand',
      'gpg.program',
      'core.editor',
    ],
    ...['credential.helper', 'core.askPass', 'alias.status', 'uploadpack.packObjectsHook', 'core.alternateRefsCommand'],
  ])
    git('config', key, evil)
  git('config', 'extensions.worktreeConfig', 'true')
  execFileSync('git', ['config', '--worktree', 'filter.late.smudge', evil], { cwd: repository })
  git('config', 'commit.gpgSign', 'true')
  git('config', 'log.showSignature', 'true')
  rmSync(marker, { force: true })
  return { root, repository, marker, run: (...args: string[]) => runGit(args, { cwd: repository, env: person }) }
}

test('nothing that a repository names is run', async () => {
  const { root, repository, marker, run } = makeHostile()
  const tree = join(root, 'tree')
  const steps = [
    ['status', '--porcelain'],
    ['worktree', 'add', '-q', tree, 'side'],
    ['worktree', 'list', '--porcelain'],
    ['diff', 'side', 'main', '--', 'a.txt'],
    ['diff'],
    ['log', '-p', '-3'],
    ['show', 'HEAD'],
    ['add', '--', 'a.txt', 'a.bin'],
    ['-c', 'user.name=t', '-c', 'user.email=t@t', 'merge', '-q', 'side'],
    ['-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', 'x'],
    ['checkout', '-q', 'HEAD~1'],
    ['stash', 'list'],
    ['fetch', '-q', '.', 'main'],
    ['clone', '-q', repository, join(root, 'copy')],
    ['worktree', 'remove', '--force', tree],
  ]
  for (const args of steps) {
    const { exitCode, errors } = await run(...args)
    expect([args, exitCode, existsSync(marker)], errors).toEqual([args, 0, false])
  }
})

test('a transport that is a program is refused', async () => {
  const { root, marker, run } = makeHostile()
  const { exitCode } = await run('clone', '-q', `ext::${join(root, 'evil')} %S`, join(root, 'copy'))
  expect(exitCode).not.toBe(0)
  expect(existsSync(marker)).toBe(false)
})

test('a bare repository hidden in a folder is not taken for one', async () => {
  const { repository, marker, run } = makeHostile()
  const hidden = join(repository, 'docs')
  execFileSync('git', ['init', '-q', '--bare', hidden])
  execFileSync('git', ['--git-dir', hidden, 'config', 'core.fsmonitor', join(repository, '..', 'evil')])
  const { exitCode } = await runGit(['status'], { cwd: hidden, env: person })
  expect(exitCode).not.toBe(0)
  expect(existsSync(marker)).toBe(false)
  expect((await run('status')).exitCode).toBe(0)
})

test('our own variables do not steer it', async () => {
  const { repository, root } = makeHostile()
  const env = {
    ...person,
    GIT_DIR: join(root, 'nowhere'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: join(root, 'evil'),
  }
  const { exitCode, output } = await runGit(['rev-parse', '--show-toplevel'], { cwd: repository, env })
  expect([exitCode, output.trim()]).toEqual([0, repository])
})
