import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { makeCell } from '../kit/cell.ts'
import { putFile } from '../kit/files.ts'
import { type Bench, makeBench } from '../kit/judge.ts'

const works = sandboxSupport(process.env).program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env).why}`)

interface Place {
  readonly workspace: string
  readonly userHome: string
}

type Arrange = (place: Place) => void

const git = ({ workspace, userHome }: Place, ...args: string[]): void =>
  void execFileSync('git', args, { cwd: workspace, env: { PATH: process.env.PATH, HOME: userHome }, stdio: 'pipe' })

const set =
  (...args: string[]): Arrange =>
  (place) =>
    git(place, 'config', ...args)

/** What makes git run a program by a file of the workspace, and that file. */
const ways: [string, string, Arrange][] = [
  ['hooks in a folder', '.githooks/pre-commit', set('core.hooksPath', '.githooks')],
  ['hooks that husky runs', '.husky/pre-commit', set('core.hooksPath', '.husky/_')],
  ['hooks that are not there yet', 'tools/hooks/deep/x', set('core.hooksPath', 'tools/hooks')],
  [
    'hooks that an included file names',
    '.husky/pre-commit',
    (place) => {
      putFile(join(place.userHome, 'more.config'), '[core]\nhooksPath = .husky\n')
      set('include.path', join(place.userHome, 'more.config'))(place)
    },
  ],
  [
    'hooks that the person set for every repository',
    '.husky/pre-commit',
    ({ userHome }) => void putFile(join(userHome, '.gitconfig'), '[core]\nhooksPath = .husky\n'),
  ],
  [
    'hooks behind a link',
    'my-hooks/pre-commit',
    ({ workspace }) => {
      execFileSync('rm', ['-r', join(workspace, '.git/hooks')])
      mkdirSync(join(workspace, 'my-hooks'))
      symlinkSync('../my-hooks', join(workspace, '.git/hooks'))
    },
  ],
  ['included settings', 'git.config', set('include.path', '../git.config')],
  ['settings that are included under a condition', 'git.config', set('includeIf.onbranch:x.path', '../git.config')],
  ['a program that a filter runs', 'tools/clean.sh', set('filter.x.clean', 'sh tools/clean.sh %f')],
  [
    'a program of the top folder that shows differences',
    'show.sh',
    (place) => {
      putFile(join(place.workspace, 'show.sh'), 'cat "$1"\n')
      set('diff.x.textconv', 'sh show.sh')(place)
    },
  ],
  [
    'the settings of a repository under another name',
    'store/config',
    ({ workspace, userHome }) => {
      execFileSync('rm', ['-r', join(workspace, '.git')])
      git({ workspace, userHome }, 'init', '-q', '--separate-git-dir=store')
    },
  ],
  [
    'the hooks of a repository in the folder',
    'sub/.githooks/pre-commit',
    ({ workspace, userHome }) => {
      mkdirSync(join(workspace, 'sub'))
      git({ workspace, userHome }, 'init', '-q', 'sub')
      git({ workspace, userHome }, '-C', 'sub', 'config', 'core.hooksPath', '.githooks')
    },
  ],
]

describe.each(ways)('%s', (_, path, arrange) => {
  test('are asked about when a file tool or a command would write them, whatever is allowed', async () => {
    const bench = makeBench({ allow: ['*', 'bash(cp *)', 'write_file(**)'] })
    const place = { workspace: bench.workspace, userHome: bench.root }
    git(place, 'init', '-q')
    bench.put('a.txt', 'a')
    arrange(place)
    for (const [tool, input] of [
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, old_string: 'a', new_string: 'b' }],
      ['bash', { command: `cp a.txt ${path}` }],
      ['bash', { command: `echo x > ${path}` }],
    ] as const)
      expect([tool, await bench.judge(tool, input)]).toEqual([tool, asked])
    expect(await bench.judge('write_file', { path: 'plain.txt', content: 'x' })).toMatchObject({ verdict: 'run' })
    expect(await bench.judge('read_file', { path: 'a.txt' })).toMatchObject({ verdict: 'run' })
  })

  test.runIf(works)('stay as they were when a command writes them that was not approved for it', async () => {
    const cell = makeCell()
    git(cell, 'init', '-q')
    arrange(cell)
    const before = textAt(cell, path)
    await cell.run(`mkdir -p "$(dirname ${path})"; echo planted > ${path}; touch ran`)
    expect([textAt(cell, path), existsSync(join(cell.workspace, 'ran'))]).toEqual([before, true])
    const approved = { writable: [join(cell.workspace, path)] }
    const { aside } = await cell.run(`mkdir -p "$(dirname ${path})"; echo approved > ${path}`, approved)
    expect([textAt(cell, path), aside]).toEqual(['approved\n', undefined])
  })
})

const asked = expect.objectContaining({
  verdict: 'ask',
  changesRights: true,
  because: expect.stringContaining('changes what agents may do'),
})

const textAt = ({ workspace }: Place, path: string): string | undefined =>
  existsSync(join(workspace, path)) ? readFileSync(join(workspace, path), 'utf8') : undefined

/** A session that works in a part of the repository. */
const below = (bench: Bench, folder: string) => {
  mkdirSync(join(bench.workspace, folder), { recursive: true })
  return { workspace: join(bench.workspace, folder) }
}

test('a session in a part of the repository, or in the folder of hooks itself, is asked the same', async () => {
  const bench = makeBench()
  const place = { workspace: bench.workspace, userHome: bench.root }
  git(place, 'init', '-q')
  git(place, 'config', 'core.hooksPath', 'part/hooks')
  const write = (path: string, folder: string) =>
    bench.judge('write_file', { path, content: 'x' }, below(bench, folder))
  expect(await write('hooks/pre-commit', 'part')).toEqual(asked)
  expect(await write('pre-commit', 'part/hooks')).toEqual(asked)
  expect(await write('deep/x', 'part/hooks')).toEqual(asked)
  expect(await write('plain', 'part')).toMatchObject({ verdict: 'run' })
})

test.runIf(works)('commands of a session in the folder of hooks change nothing there', async () => {
  const cell = makeCell()
  git(cell, 'init', '-q')
  git(cell, 'config', 'core.hooksPath', 'part/hooks')
  const hooks = join(cell.workspace, 'part/hooks')
  mkdirSync(hooks, { recursive: true })
  const { output } = await cell.run('touch pre-commit; echo end', { workspace: hooks })
  expect([output.includes('end'), existsSync(join(hooks, 'pre-commit'))]).toEqual([true, false])
})

test('a rule that names the folder of hooks is for it; what a setting says of git alone protects nothing', async () => {
  const bench = makeBench({ allow: ['write_file(.husky/**)'] })
  const place = { workspace: bench.workspace, userHome: bench.root }
  git(place, 'init', '-q')
  git(place, 'config', 'core.hooksPath', '.husky')
  git(place, 'config', 'alias.log', 'log a.txt')
  bench.put('a.txt', 'a')
  for (const path of ['.husky/pre-commit', 'a.txt', '.gitattributes', '.gitmodules'])
    expect([path, await bench.judge('write_file', { path, content: 'x' })]).toEqual([
      path,
      expect.objectContaining({ verdict: 'run' }),
    ])
})
