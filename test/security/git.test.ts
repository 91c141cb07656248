import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { approvedGit, gitCommands, ruledGit } from '../../src/core/permissions/repository.ts'
import { putInPlace } from '../../src/lib/sandbox/aside.ts'
import type { Box } from '../../src/lib/sandbox/box.ts'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { readScript } from '../../src/lib/shell/script.ts'
import { type Cell, makeCell } from '../kit/cell.ts'

const works = sandboxSupport(process.env).program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env).why}`)

/** As the person at the same machine runs it, outside the sandbox. */
function host(cell: Cell, ...args: string[]): string {
  return execFileSync('git', args, { cwd: cell.workspace, env: env(cell), encoding: 'utf8', stdio: 'pipe' })
}

const env = ({ userHome }: Cell) => ({ PATH: process.env.PATH, HOME: userHome })

function put(cell: Cell, path: string, text: string): void {
  mkdirSync(dirname(join(cell.workspace, path)), { recursive: true })
  writeFileSync(join(cell.workspace, path), text)
}

const textAt = (cell: Cell, path: string): string => readFileSync(join(cell.workspace, path), 'utf8')

/** A project with one commit, a branch `other`, and ordinary and protected files that differ between them. */
function makeProject(): Cell {
  const cell = makeCell()
  writeFileSync(
    join(cell.userHome, '.gitconfig'),
    '[user]\nname=t\nemail=t@t\n[init]\ndefaultBranch=main\n[protocol "file"]\nallow=always\n[advice]\ndetachedHead=false\n',
  )
  host(cell, 'init', '-q')
  put(cell, 'a.txt', 'one\n')
  put(cell, '.claude/settings.json', 'one\n')
  put(cell, '.gitignore', '.env\n')
  host(cell, 'add', '-A')
  host(cell, 'commit', '-qm', 'one')
  host(cell, 'checkout', '-qb', 'other')
  put(cell, '.claude/settings.json', 'two\n')
  put(cell, '.claude/new.md', 'new\n')
  put(cell, '.mcp.json', '{}\n')
  host(cell, 'add', '-A')
  host(cell, 'commit', '-qm', 'two')
  host(cell, 'checkout', '-q', 'main')
  return cell
}

const gitsIn = (command: string, folder: string) =>
  gitCommands(readScript(command, { folder, home: undefined }).commands)

/** Shut in as a call is that rules allow, or that a person approved. */
async function run(cell: Cell, command: string, by: readonly string[] | 'approved', more: Partial<Box> = {}) {
  const commands = gitsIn(command, cell.workspace)
  const git = by === 'approved' ? approvedGit(commands) : ruledGit(commands, by)
  return cell.run(command, { git, ...more })
}

describe.runIf(works)('git in the sandbox', () => {
  test.each([
    ['git add -A && git commit -qm x', 'a.txt'],
    ['git commit -qam x | tail -1', ''],
    ['git add a.txt && ls && git commit -qm x', ''],
    ['git stash -u && git stash pop', ''],
    ['git clean -fdx', ''],
    ['git worktree add -q wt && cd wt && ls && git status --short', ''],
    ['git worktree add -q wt && git worktree remove wt', ''],
    [
      'git checkout -qb feature && git commit -q --allow-empty -m y && git checkout -q main && git merge -q feature',
      '',
    ],
    ['git tag v1 && git branch b && git branch -d b && git reset -q --hard', ''],
    ['git remote add origin ../main.git && git push -qu origin main && git fetch -q && git branch -a', ''],
    ['git init -q sub && cd sub && git commit -q --allow-empty -m z', ''],
    ['git clone -q ../main.git copy && ls copy', ''],
    ['git config user.name other && git config --get user.name', ''],
    ['git stash -q && git rebase -q main && git stash pop -q && git gc -q', ''],
  ])('works under the rule git *, and leaves the folder as git alone would: %s', async (command) => {
    const cell = makeProject()
    execFileSync('git', ['init', '-q', '--bare', '../main.git'], { cwd: cell.workspace, env: env(cell) })
    put(cell, 'a.txt', 'two\n')
    put(cell, 'b.txt', 'new\n')
    const copy = join(cell.root, 'copy')
    execFileSync('cp', ['-r', cell.workspace, copy])
    const remote = command.includes('../main.git') ? [join(cell.root, 'main.git')] : []
    const result = await run(cell, command, ['git *'], { writable: remote })
    expect([result.output, result.exitCode, result.aside]).toEqual([
      expect.not.stringMatching(/read-only|busy|fatal|error/i),
      0,
      undefined,
    ])
    rmSync(join(cell.root, 'main.git'), { recursive: true })
    execFileSync('git', ['init', '-q', '--bare', '../main.git'], { cwd: cell.workspace, env: env(cell) })
    execFileSync('bash', ['-c', command], { cwd: copy, env: env(cell), stdio: 'pipe' })
    const state = (cwd: string) =>
      execFileSync('bash', ['-c', 'git status --short; git branch -a; git log --format=%s; ls -A'], {
        cwd,
        env: env(cell),
        encoding: 'utf8',
      })
    expect(state(cell.workspace)).toBe(state(copy))
  })

  test.each([
    ['git merge -q other', ''],
    ['git checkout -q other', ''],
    ['git checkout -q other && git checkout -q main', ''],
    ['git reset -q --hard other', ''],
    ['echo x > .claude/settings.json; git stash -q && git stash pop -q', ' M .claude/settings.json\n'],
    ['git pull -q . other', ''],
  ])('over tracked protected files an approved command is whole: %s', async (command, status) => {
    const cell = makeProject()
    const own = command.startsWith('echo') ? [join(cell.workspace, '.claude/settings.json')] : []
    const result = await run(cell, command, 'approved', { writable: own })
    expect([result.exitCode, result.output, result.aside]).toEqual([0, '', undefined])
    expect(host(cell, 'status', '--short')).toBe(status)
  })

  test('what a rule let git check out over protected files is asked about, and then the tree is clean', async () => {
    const cell = makeProject()
    const { exitCode, aside } = await run(cell, 'git merge -q other', ['git *'])
    expect(exitCode).toBe(0)
    expect(textAt(cell, '.claude/settings.json')).toBe('one\n')
    expect(host(cell, 'status', '--short').trimEnd().split('\n').toSorted()).toEqual([
      ' D .claude/new.md',
      ' D .mcp.json',
      ' M .claude/settings.json',
    ])
    putInPlace(cell.box.aside, aside!.id)
    expect(host(cell, 'status', '--short')).toBe('')
  })

  test('git clone into an empty project works', async () => {
    const source = makeProject()
    const cell = makeCell()
    const result = await run(cell, `git clone -q ${source.workspace} .`, ['git clone*'])
    expect([result.exitCode, result.output]).toEqual([0, ''])
    expect(readdirSync(cell.workspace).toSorted()).toEqual(['.git', '.gitignore', 'a.txt'])
    putInPlace(cell.box.aside, result.aside!.id)
    expect(execFileSync('git', ['status', '--short'], { cwd: cell.workspace, encoding: 'utf8' })).toBe('')
    const approved = makeCell()
    const second = await run(approved, `git clone -q ${source.workspace} .`, 'approved')
    expect([second.exitCode, second.aside]).toEqual([0, undefined])
  })

  test('a nested repository takes commits of its own, the outer one does not, and the other way round', async () => {
    const cell = makeProject()
    mkdirSync(join(cell.workspace, 'sub'))
    execFileSync('git', ['init', '-q', 'sub'], { cwd: cell.workspace, env: env(cell) })
    const inner = await run(cell, 'git -C sub commit -q --allow-empty -m x; echo x > .git/refs/heads/y', ['git *'])
    expect(inner.output).toMatch(/Read-only/)
    expect(host(cell, '-C', 'sub', 'log', '--format=%s')).toBe('x\n')
    const outer = await run(cell, 'git commit -q --allow-empty -m x; echo x > sub/.git/refs/heads/y', ['git *'])
    expect(outer.output).toMatch(/Read-only/)
    expect(host(cell, 'log', '-1', '--format=%s')).toBe('x\n')
  })

  test.each([
    ['git config core.fsmonitor ./evil', ['git status*', '*']],
    ['git commit -q --allow-empty -m x', ['git status*']],
    ['git status', ['git status*']],
    ['git --git-dir=.git commit -q --allow-empty -m x', ['git *']],
  ])('a rule opens only what it names: %s under %j', async (command, rules) => {
    const commands = gitsIn(command, '/work')
    expect(ruledGit(commands, rules).folders).toEqual([])
  })

  /** Everything that would act on the person later, tried by a program that runs beside allowed git work. */
  const payload = `
    touch ran
    evil='core.fsmonitor=touch pwned;false'
    git config core.fsmonitor "touch pwned; false"; git config core.hooksPath "$PWD/h"
    printf '[core]\\n fsmonitor = touch pwned; false\\n' > .git/config; printf '[core]\\n fsmonitor = touch pwned; false\\n' > .git/config.worktree
    rm -rf .git/config .git/hooks; mv .git/hooks .git/h2; mv .git gone
    mkdir -p .git/hooks .git/info; for h in pre-commit post-index-change post-checkout reference-transaction; do printf '#!/bin/sh\\ntouch pwned\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done
    echo '* filter=x' > .git/info/attributes
    mkdir -p evil/objects evil/refs; echo 'ref: refs/heads/main' > evil/HEAD; printf '[core]\\n repositoryformatversion=0\\n fsmonitor = touch pwned; false\\n' > evil/config
    echo ../evil > .git/commondir
    mkdir -p sub/.git; cp -r evil/* sub/.git; mkdir t; echo "gitdir: ../evil" > t/.git
    mkdir -p my-hooks; printf '#!/bin/sh\\ntouch pwned\\n' > my-hooks/pre-commit; chmod +x my-hooks/pre-commit
    printf '[core]\\n fsmonitor = touch pwned; false\\n' > more.config
    printf '[core]\\n repositoryformatversion=0\\n fsmonitor = touch pwned; false\\n' > .git/config
    true`

  test.each([
    ['a hook of the project', 'git commit -q --allow-empty -m x'],
    ['an embedded repository that git was made to trust', 'cd bare && git add -A; git status'],
    ['a command beside it', 'git commit -q --allow-empty -m x; sh payload.sh'],
    ['a command beside one that may write branches', 'git checkout -q -b feature; sh payload.sh'],
  ])('what %s plants does not act on the person', async (how, command) => {
    const cell = makeProject()
    put(cell, 'payload.sh', payload)
    put(cell, '.githooks/pre-commit', '#!/bin/sh\nsh payload.sh\n')
    chmodSync(join(cell.workspace, '.githooks/pre-commit'), 0o755)
    if (how.includes('hook')) host(cell, 'config', 'core.hooksPath', '.githooks')
    host(cell, 'config', 'include.path', '../more.config')
    if (how.includes('embedded')) {
      for (const name of ['objects', 'refs']) mkdirSync(join(cell.workspace, 'bare', name), { recursive: true })
      put(cell, 'bare/HEAD', 'ref: refs/heads/main\n')
      put(
        cell,
        'bare/config',
        `[core]\nrepositoryformatversion=0\nfsmonitor=cd ${cell.workspace} && sh payload.sh; false\nworktree=..\n`,
      )
    }
    const trusting = how.includes('embedded') ? `export GIT_CONFIG_VALUE_0=all; ${command}` : command
    const commands = gitsIn(command, cell.workspace)
    await cell.run(trusting, { git: ruledGit(commands, ['git *']) })
    expect(existsSync(join(cell.workspace, 'ran'))).toBe(true)
    put(cell, 'payload.sh', 'true')
    rmSync(join(cell.workspace, 'pwned'), { force: true })
    host(cell, 'status')
    for (const args of [['commit', '-q', '--allow-empty', '-m', 'p'], ['checkout', '-q', '-f', 'other'], ['status']])
      execFileSync('git', args, { cwd: cell.workspace, env: env(cell), stdio: 'pipe' })
    for (const folder of ['sub', 't']) host(cell, '-C', folder, 'status')
    expect(existsSync(join(cell.workspace, 'pwned'))).toBe(false)
    for (const folder of ['sub', 't']) expect(existsSync(join(cell.workspace, folder, 'pwned'))).toBe(false)
  })

  test('git config works when exactly that is allowed, and what runs programs is asked about when it is not', async () => {
    const cell = makeProject()
    const broad = await run(cell, 'git config core.pager cat', ['git *'])
    expect([broad.exitCode, broad.aside?.diff]).toEqual([0, expect.stringContaining('+\tpager = cat')])
    expect(textAt(cell, '.git/config')).not.toContain('pager')
    const exact = await run(cell, 'git config core.pager cat', ['git config core.pager*'])
    expect([exact.aside, textAt(cell, '.git/config').includes('pager = cat')]).toEqual([undefined, true])
  })

  test.each([
    'git config remote.origin.url ./evil',
    'git config remote.origin.pushurl "$PWD/evil"',
    'git config remote.origin.url "file://$PWD/evil"',
    'git config branch.main.remote evil',
    'git config remote.origin.url "file://$(pwd | sed s/w/%77/g)/evil"',
    'git config remote.origin.url file:///%ff/evil',
    'git config remote.origin.url /proc/self/cwd/evil',
    'git config remote.origin.url //proc/self/../self/cwd/evil',
    'git config branch.main.remote /proc/self/cwd/evil',
    'ln -s /proc/self/cwd here; git config remote.origin.url ./here/evil',
    'ln -s /proc/self/cwd here; git config branch.main.remote here/evil',
  ])('a remote that is a folder of the workspace is asked about, as git runs its hooks: %s', async (command) => {
    const cell = makeProject()
    execFileSync('git', ['init', '-q', '--bare', 'evil'], { cwd: cell.workspace, env: env(cell) })
    const before = textAt(cell, '.git/config')
    const { aside, exitCode } = await run(cell, `git checkout -q -b x; ${command}`, ['git *'])
    expect([exitCode, aside?.diff, textAt(cell, '.git/config')]).toEqual([0, expect.stringContaining('evil'), before])
  })

  test('a remote elsewhere is none of that, nor is the repository itself', async () => {
    const cell = makeProject()
    const { aside } = await run(
      cell,
      'git remote add origin ../main.git; git remote add two https://example.com/x.git; git checkout -q --track -b y main',
      ['git *'],
    )
    expect([aside, textAt(cell, '.git/config')]).toEqual([undefined, expect.stringContaining('remote = .')])
  })

  test.each([
    'ln -sf "$OUT" .git/COMMIT_EDITMSG',
    'rm -r .git/logs; mkdir .git/logs; ln -s "$OUT" .git/logs/HEAD',
    'rm -f .git/index; ln -s "$OUT" .git/index',
    'mkdir -p .git/remotes; printf "URL: ./evil\\n" > .git/remotes/origin',
  ])('what leads the git of the person elsewhere is put aside: %s', async (plant) => {
    const cell = makeProject()
    const out = join(cell.userHome, 'notes.txt')
    const { aside } = await run(cell, `git commit -q --allow-empty -m x; ${plant.replaceAll('$OUT', out)}`, ['git *'])
    expect(aside?.diff).toMatch(/COMMIT_EDITMSG|logs\/HEAD|index|remotes/)
    host(cell, 'reset', '-q')
    host(cell, 'commit', '-q', '--allow-empty', '-m', 'y')
    expect([readFileSync(out, 'utf8'), existsSync(join(cell.workspace, '.git/remotes/origin'))]).toEqual([
      'readable',
      false,
    ])
  })

  test.each([
    ['names another repository', false],
    ['is a worktree that its repository knows', true],
    ['is a submodule that its repository knows', true],
  ])('a .git file that %s opens it: %s', async (kind, opens) => {
    const cell = makeProject()
    const other = join(cell.root, 'other')
    execFileSync('git', ['init', '-q', other], { env: env(cell) })
    execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'x'], { cwd: other, env: env(cell) })
    rmSync(cell.workspace, { recursive: true })
    if (kind.includes('worktree'))
      execFileSync('git', ['worktree', 'add', '-q', cell.workspace], { cwd: other, env: env(cell) })
    else if (kind.includes('submodule')) {
      const big = join(cell.root, 'big')
      execFileSync('git', ['init', '-q', big], { env: env(cell) })
      execFileSync('git', ['submodule', '--quiet', 'add', other, 'work'], { cwd: big, env: env(cell) })
      execFileSync('mv', [join(big, 'work'), cell.workspace])
      execFileSync('git', ['config', '--file', join(big, '.git/modules/work/config'), 'core.worktree', cell.workspace])
      writeFileSync(join(cell.workspace, '.git'), `gitdir: ${join(big, '.git/modules/work')}\n`)
    } else {
      mkdirSync(cell.workspace)
      put(cell, '.git', `gitdir: ${join(other, '.git')}\n`)
    }
    const { output, exitCode } = await run(cell, 'git commit -q --allow-empty -m mine', ['git *'])
    expect([exitCode === 0, output]).toEqual([opens, opens ? '' : expect.stringContaining('Read-only')])
  })

  test('hooks that are a link are kept like those in their place', async () => {
    const cell = makeProject()
    mkdirSync(join(cell.workspace, 'my-hooks'))
    rmSync(join(cell.workspace, '.git/hooks'), { recursive: true, force: true })
    symlinkSync('../my-hooks', join(cell.workspace, '.git/hooks'))
    await run(cell, 'git commit -q --allow-empty -m x; echo planted > my-hooks/post-commit', ['git *'])
    expect(readdirSync(join(cell.workspace, 'my-hooks'))).toEqual([])
  })
})
