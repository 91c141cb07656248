import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { effectiveSettings, findAgent } from '../../src/core/config/index.ts'
import { sha256 } from '../../src/lib/files/files.ts'
import { discardAside, listAsides, putInPlace } from '../../src/lib/sandbox/aside.ts'
import { enclose, sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { sweepWatched } from '../../src/lib/sandbox/watch.ts'
import { type Cell, makeCell } from '../kit/cell.ts'
import { eventually } from '../kit/processes.ts'

const works = sandboxSupport(process.env).program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env).why}`)

function put(cell: Cell, path: string, text: string): void {
  mkdirSync(dirname(join(cell.workspace, path)), { recursive: true })
  writeFileSync(join(cell.workspace, path), text)
}

const textAt = (cell: Cell, path: string): string | undefined =>
  existsSync(join(cell.workspace, path)) ? readFileSync(join(cell.workspace, path), 'utf8') : undefined

const changed = ({ aside }: { aside?: { changes: readonly { path: string }[] } }, cell: Cell): string[] =>
  (aside?.changes ?? []).map(({ path }) => path.slice(cell.workspace.length + 1))

describe.runIf(works)('protected files', () => {
  test('nothing that is not there appears while a command runs, nor afterwards', async () => {
    const cell = makeCell()
    const { output, aside } = await cell.run('ls -A; tar cf - . | tar tf -; test -e .env || echo none')
    expect(output).toBe('./\nnone\n')
    expect(aside).toBeUndefined()
    expect(readdirSync(cell.workspace)).toEqual([])
  })

  test.each([
    ['.mcp.json', 'echo planted > .mcp.json'],
    ['.env.local', 'echo A=planted > .env.local'],
    ['.envrc', 'echo planted > .envrc'],
    ['.claude/settings.json', 'mkdir .claude; echo planted > .claude/settings.json'],
    ['.agents/x', 'mkdir .agents; echo planted > .agents/x'],
    ['.troupe/agents/a.md', 'mkdir -p .troupe/agents; echo planted > .troupe/agents/a.md'],
    ['a/b/c/d/e/.mcp.json', 'mkdir -p a/b/c/d/e; echo planted > a/b/c/d/e/.mcp.json'],
    ['sub/.git/config', 'mkdir -p sub/.git; echo planted > sub/.git/config'],
    ['.git/config', 'mkdir -p .git; echo planted > .git/config'],
    ['.git', 'echo "gitdir: elsewhere" > .git'],
    ['.mcp.json', 'echo x > y; ln -s y .mcp.json'],
    ['.env', 'mkdir n; cd n; echo A=1 > .env; mv .env ..'],
    ['sub/.troupe', 'mkdir -p sub/.troupe'],
  ])(
    '%s that a command made is put aside, comes back when approved, and is gone when denied: %s',
    async (path, command) => {
      const cell = makeCell()
      const at = join(cell.workspace, path)
      const first = await cell.run(command)
      expect(lstatSync(at, { throwIfNoEntry: false })).toBeUndefined()
      expect(putInPlace(cell.box.aside, first.aside!.id)).toEqual([])
      expect(lstatSync(at, { throwIfNoEntry: false })).toBeDefined()
      rmSync(join(cell.workspace, path.split('/')[0]!), { recursive: true })
      const second = await cell.run(command)
      discardAside(cell.box.aside, second.aside!.id)
      expect(lstatSync(at, { throwIfNoEntry: false })).toBeUndefined()
      expect(readdirSync(cell.box.aside)).toEqual([first.aside!.id])
    },
  )

  test('changed, removed and replaced files are put back as they were, and the diff says what was changed', async () => {
    const cell = makeCell()
    put(cell, '.env', 'KEY=value-one\n')
    put(cell, '.mcp.json', '{}\n')
    put(cell, '.claude/settings.json', 'old\n')
    put(cell, '.claude/skills/a.md', 'a\n')
    execFileSync('chmod', ['600', join(cell.workspace, '.env')])
    const result = await cell.run(
      'echo KEY=other-value > .env; chmod 644 .env; rm .mcp.json; mkdir .mcp.json; sed -i s/old/new/ .claude/settings.json; rm -r .claude/skills; echo b > .claude/b',
    )
    expect(result.exitCode).toBe(0)
    expect(
      ['.env', '.mcp.json', '.claude/settings.json', '.claude/skills/a.md'].map((path) => textAt(cell, path)),
    ).toEqual(['KEY=value-one\n', '{}\n', 'old\n', 'a\n'])
    expect(statSync(join(cell.workspace, '.env')).mode & 0o777).toBe(0o600)
    expect(existsSync(join(cell.workspace, '.claude/b'))).toBe(false)
    expect(result.aside?.diff).toContain('-old\n+new\n')
    expect(result.aside?.diff).toContain('+KEY=oth…')
    expect(result.aside?.diff).not.toContain('other-value')
    expect(putInPlace(cell.box.aside, result.aside!.id)).toEqual([])
    expect([textAt(cell, '.env'), textAt(cell, '.claude/settings.json'), textAt(cell, '.claude/b')]).toEqual([
      'KEY=other-value\n',
      'new\n',
      'b\n',
    ])
    expect(existsSync(join(cell.workspace, '.claude/skills'))).toBe(false)
    expect(statSync(join(cell.workspace, '.mcp.json')).isDirectory()).toBe(true)
  })

  test('what somebody wrote meanwhile is not overwritten', async () => {
    const cell = makeCell()
    const { aside } = await cell.run('echo A=1 > .env')
    put(cell, '.env', 'B=2\n')
    expect(putInPlace(cell.box.aside, aside!.id)).toEqual([join(cell.workspace, '.env')])
    expect(textAt(cell, '.env')).toBe('B=2\n')
  })

  test.each([
    ['cp .env.example .env', '.env'],
    ['cp .env.example .env && sed -i s/=/==/ .env && mv .env .env.local && mv .env.local .env', '.env'],
    ['cp .env.example .env && rm .env && test -f .env || cp .env.example .env', '.env'],
    ['mkdir -p .claude/skills && echo x > .claude/skills/a.md', '.claude/skills'],
  ])('an approved command really writes: %s', async (command, path) => {
    const cell = makeCell()
    put(cell, '.env.example', 'A=\n')
    const writable = [path, '.env.local'].map((one) => join(cell.workspace, one))
    const { exitCode, output, aside } = await cell.run(command, { writable })
    expect([exitCode, output, aside]).toEqual([0, '', undefined])
    expect(existsSync(join(cell.workspace, path))).toBe(true)
  })

  test('an approved command writes what it was approved for and nothing beside it', async () => {
    const cell = makeCell()
    const writable = [join(cell.workspace, '.claude/skills')]
    const result = await cell.run('mkdir -p .claude/skills; echo x > .claude/settings.json; echo y > .env', {
      writable,
    })
    expect(changed(result, cell).toSorted()).toEqual(['.claude/settings.json', '.env'])
    expect(readdirSync(join(cell.workspace, '.claude'))).toEqual(['skills'])
  })

  test('a path that a rule names is left, and templates are ordinary files', async () => {
    const cell = makeCell()
    const permits = (path: string): boolean => path.endsWith('/.env')
    const { aside } = await cell.run('echo A=1 > .env; echo A= > .env.example; echo > .env.local.sample', { permits })
    expect(aside).toBeUndefined()
    expect(readdirSync(cell.workspace).toSorted()).toEqual(['.env', '.env.example', '.env.local.sample'])
  })

  test('a folder takes what is protected in it along when it is moved or removed, and a new one in its place does not inherit', async () => {
    const cell = makeCell()
    for (const folder of ['a', 'b', 'c']) put(cell, `${folder}/.claude/settings.json`, folder)
    const moved = await cell.run(
      'mv a a2; rm -r b; mv c c2; mkdir -p c/.claude; echo planted > c/.claude/settings.json',
    )
    expect(changed(moved, cell)).toEqual(['c/.claude/settings.json'])
    expect(textAt(cell, 'a2/.claude/settings.json')).toBe('a')
    expect(textAt(cell, 'c/.claude/settings.json')).toBe('c')
    expect(readdirSync(cell.workspace).toSorted()).toEqual(['a2', 'c', 'c2'])
    const changedToo = await cell.run('mv a2 a3; echo planted > a3/.claude/settings.json')
    expect(changed(changedToo, cell)).toEqual(['a3/.claude/settings.json'])
    expect(textAt(cell, 'a3/.claude/settings.json')).toBe('a')
  })

  test('a protected link stays a link, and what it leads to in the folder is protected', async () => {
    const cell = makeCell()
    put(cell, 'conf/x', 'old')
    symlinkSync('conf', join(cell.workspace, '.claude'))
    const result = await cell.run('echo planted > conf/x; rm .claude; mkdir .claude; echo planted > .claude/y')
    expect(changed(result, cell).toSorted()).toEqual(['.claude', '.claude/y', 'conf/x'])
    expect([lstatSync(join(cell.workspace, '.claude')).isSymbolicLink(), textAt(cell, '.claude/x')]).toEqual([
      true,
      'old',
    ])
    expect(readdirSync(join(cell.workspace, 'conf'))).toEqual(['x'])
  })

  test('the project’s own .troupe, and in the background everything that is there, cannot be written at all', async () => {
    const cell = makeCell()
    put(cell, '.troupe/settings.json', 'old')
    put(cell, '.env', 'A=1')
    const first = await cell.run('echo x > .troupe/settings.json; rm -rf .troupe; mv .troupe t')
    expect([first.output.includes('Read-only'), textAt(cell, '.troupe/settings.json'), first.aside]).toEqual([
      true,
      'old',
      undefined,
    ])
    const second = await cell.run('echo x > .env; echo y > .mcp.json', { lasting: true })
    expect([textAt(cell, '.env'), changed(second, cell)]).toEqual(['A=1', ['.mcp.json']])
  })

  test('a protected folder that is too big to be remembered cannot be written', async () => {
    const cell = makeCell()
    put(cell, '.claude/big', 'x'.repeat(17 * 1024 * 1024))
    const { output, aside } = await cell.run('echo x > .claude/y')
    expect([output.includes('Read-only'), aside]).toEqual([true, undefined])
  })

  test('a new folder that is too big to be compared is moved away and can come back', async () => {
    const cell = makeCell()
    const { aside } = await cell.run('mkdir .claude; head -c 17000000 /dev/zero > .claude/big')
    expect(readdirSync(cell.workspace)).toEqual([])
    expect(putInPlace(cell.box.aside, aside!.id)).toEqual([])
    expect(statSync(join(cell.workspace, '.claude/big')).size).toBe(17_000_000)
  })

  test('what packages bring along in node_modules is left alone, and looked at when it is moved out', async () => {
    const cell = makeCell()
    const first = await cell.run('mkdir -p node_modules/a/.claude; echo x > node_modules/a/.env')
    expect([first.aside, existsSync(join(cell.workspace, 'node_modules/a/.env'))]).toEqual([undefined, true])
    expect(changed(await cell.run('mv node_modules/a b'), cell).toSorted()).toEqual(['b/.claude', 'b/.env'])
  })

  test('of two commands side by side each may write what it was approved for, and no more', async () => {
    const cell = makeCell()
    const slow = cell.run('until test -e go; do sleep 0.02; done; echo A=1 > .env; echo x > .mcp.json', {
      writable: [join(cell.workspace, '.env')],
    })
    const quick = await cell.run('echo planted > .envrc; touch go; until test -e .mcp.json; do sleep 0.02; done')
    const last = await slow
    expect([...changed(quick, cell), ...changed(last, cell)].toSorted()).toEqual(['.envrc', '.mcp.json'])
    expect(readdirSync(cell.workspace).toSorted()).toEqual(['.env', 'go'])
  })

  test('what one command was approved to write is read-only for another that runs beside it', async () => {
    const cell = makeCell()
    put(cell, '.env', 'A=1\n')
    const slow = cell.run('touch begun; until test -e go; do sleep 0.02; done; echo B=2 >> .env', {
      writable: [join(cell.workspace, '.env')],
    })
    await eventually(() => existsSync(join(cell.workspace, 'begun')))
    const quick = await cell.run('echo evil > .env || echo refused; touch go')
    const last = await slow
    expect(quick.output).toContain('refused')
    expect([quick.aside, last.aside, textAt(cell, '.env')]).toEqual([undefined, undefined, 'A=1\nB=2\n'])
  })

  test('while git may change them, settings and agents count as they were before', async () => {
    const cell = makeCell()
    execFileSync('git', ['init', '-q'], { cwd: cell.workspace })
    put(cell, '.troupe/settings.json', '{"permissions":{"deny":["bash(rm *)"]}}')
    put(cell, '.troupe/agents/ann.md', '---\ndescription: before\n---\nHi')
    const [core, project] = [
      { home: cell.home, env: {}, flags: {}, runtimes: {} },
      { id: 'p', path: cell.workspace },
    ]
    const now = async () => [
      (await effectiveSettings(core, project)).settings.permissions.deny,
      await findAgent(core, project, 'ann').then(
        ({ description }) => description,
        () => 'gone',
      ),
    ]
    const before = await now()
    expect(before).toEqual([['bash(rm *)'], 'before'])
    const git = { folders: [cell.workspace], config: 'closed', makes: false, approved: false } as const
    const shut = await enclose(['true'], { ...cell.box, git }, { PATH: process.env.PATH })
    rmSync(join(cell.workspace, '.troupe'), { recursive: true })
    expect(await now()).toEqual(before)
    await shut.release()
    expect(await now()).toEqual(before)
    rmSync(join(cell.workspace, '.troupe'), { recursive: true })
    expect(await now()).not.toEqual(before)
  })

  test('after a crash the next start puts aside what the command did, once', async () => {
    const cell = makeCell()
    put(cell, '.env', 'old')
    await enclose(['true'], cell.box, { PATH: process.env.PATH })
    put(cell, '.env', 'planted')
    put(cell, 'sub/.mcp.json', 'planted')
    for (const _ of [1, 2]) await sweepWatched(cell.box, { PATH: process.env.PATH })
    expect([textAt(cell, '.env'), textAt(cell, 'sub/.mcp.json')]).toEqual(['old', undefined])
    expect(listAsides(cell.box.aside).map((aside) => [aside.owner, changed({ aside }, cell).toSorted()])).toEqual([
      ['one', ['.env', 'sub/.mcp.json']],
    ])
    renameSync(join(cell.workspace, 'sub'), join(cell.root, 'elsewhere'))
    symlinkSync(join(cell.root, 'elsewhere'), join(cell.workspace, 'sub'))
    putInPlace(cell.box.aside, listAsides(cell.box.aside)[0]!.id)
    expect(readdirSync(join(cell.root, 'elsewhere'))).toEqual([])
  })
})

describe.runIf(works)('a way around the look at protected files', () => {
  test('is not the moment between putting a file back and the next look, whoever else writes it', async () => {
    const cell = makeCell()
    put(cell, '.env', 'old')
    // One command writes without a pause, while others end and put back what it wrote.
    const writing = cell.run(
      `touch begun; until test -e enough; do echo evil > .mcp.json; echo evil > .env; done; echo evil > .mcp.json; echo evil > .env`,
    )
    await eventually(() => existsSync(join(cell.workspace, 'begun')))
    for (let count = 0; count < 10; count += 1) await cell.run('true')
    put(cell, 'enough', '')
    expect(changed(await writing, cell).toSorted()).toEqual(['.env', '.mcp.json'])
    expect([textAt(cell, '.env'), textAt(cell, '.mcp.json')]).toEqual(['old', undefined])
  })

  test('is not a second name of a file, given to it while it could be', async () => {
    const cell = makeCell()
    put(cell, '.env', 'old')
    put(cell, '.claude/skills/a.md', 'old')
    put(cell, '.troupe/agents/a.md', 'old')
    execFileSync('git', ['init', '-q'], { cwd: cell.workspace })
    const config = textAt(cell, '.git/config')
    const git = { folders: [cell.workspace], config: 'closed', makes: false, approved: false } as const
    const link = await cell.run('ln .env e; ln .claude/skills/a.md c; ln .troupe/agents/a.md t', { git })
    expect(link.aside).toBeUndefined()
    // As a command that made the repository could do.
    linkSync(join(cell.workspace, '.git/config'), join(cell.workspace, 'g'))
    const names = ['.env', '.claude/skills/a.md', '.troupe/agents/a.md', '.git/config']
    await cell.run('for name in e c t g; do echo evil > $name; done', { lasting: true })
    expect(names.map((name) => textAt(cell, name))).toEqual(['old', 'old', 'old', config])
    // While a command in the background runs, one in the foreground could link what is mounted for the other only.
    const background = cell.run('touch begun; until test -e go; do sleep 0.01; done; echo evil > late', {
      lasting: true,
    })
    await eventually(() => existsSync(join(cell.workspace, 'begun')))
    await cell.run('ln .env late')
    put(cell, 'go', '')
    expect(changed(await background, cell)).toEqual(['.env'])
    expect(textAt(cell, '.env')).toBe('old')
  })

  test('is not a folder so deep, or texts so different, that looking at them takes long', async () => {
    const cell = makeCell()
    const { aside } = await cell.run(
      'mkdir .claude; cd .claude; for i in {1..300}; do mkdir a && cd a || exit; done; touch deepest',
    )
    expect([aside?.moved.length, readdirSync(cell.workspace)]).toEqual([1, []])
    put(cell, '.envrc', Array.from({ length: 6000 }, (_, line) => `${line % 7}`).join('\n'))
    const other = await cell.run('for i in {1..6000}; do echo $((i % 5 + 10)); done > .envrc')
    expect(other.aside?.diff).toContain('too different to be compared')
  })

  test('where the workspace is the home folder itself, what shells and git run of it is not changed unasked', async () => {
    const cell = makeCell()
    const at = (name: string): string => join(cell.userHome, name)
    const [before, here] = ['mine\n', { workspace: cell.userHome }]
    mkdirSync(at('.config/git'), { recursive: true })
    for (const name of ['.bashrc', '.config/git/config', 'profile']) writeFileSync(at(name), before)
    symlinkSync('profile', at('.profile'))
    const plant =
      'for f in .bashrc .config/git/config .profile .zshenv notes.txt; do echo evil >> $f; done; mkdir .local'
    const { aside } = await cell.run(plant, here)
    const read = (name: string): string => readFileSync(at(name), 'utf8')
    expect(['.bashrc', '.config/git/config', '.profile'].map(read)).toEqual([before, before, before])
    expect([existsSync(at('.zshenv')), existsSync(at('.local')), read('notes.txt')]).toEqual([
      false,
      false,
      'readableevil\n',
    ])
    expect(aside!.changes.map(({ path }) => basename(path)).sort()).toEqual(['.local', '.zshenv', 'profile'])
    const approved = await cell.run('echo asked >> .bashrc', { ...here, writable: [at('.bashrc')] })
    expect([approved.aside, read('.bashrc')]).toEqual([undefined, 'mine\nasked\n'])
  })

  test('is not a number of submodules that is not looked at', async () => {
    const cell = makeCell()
    execFileSync('git', ['init', '-q'], { cwd: cell.workspace })
    for (let count = 0; count < 210; count += 1) put(cell, `.git/modules/m${count}/HEAD`, 'ref: refs/heads/main\n')
    const git = { folders: [cell.workspace], config: 'closed', makes: false, approved: false } as const
    const { output } = await cell.run(
      'for i in {0..209}; do echo "[core]" > .git/modules/m$i/config; done; ls .git/modules/*/config',
      { git },
    )
    expect(output).not.toMatch(/m\d+\/config$/m)
  })

  test.each(['.GIT', '.Troupe', '.agent\u017f', '.cla\u200bude', '.claude.', '\uff0eenv', 'GIT~1'])(
    'is not another spelling: %s',
    async (name) => {
      const cell = makeCell()
      const { aside } = await cell.run(
        `mkdir '${name}' 2>&1; echo x > '${name}/x'; rm -rf '${name}'; mkdir '${name}'; touch '${name}/x'`,
      )
      if (name.endsWith('env'))
        expect(changed(await cell.run(`rm -rf '${name}'; echo x > '${name}'`), cell)).toEqual([name])
      else expect(changed({ ...(aside && { aside }) }, cell)).toContain(name)
    },
  )
})

describe.runIf(works)('what is put aside', () => {
  test('has no folders that only hold what a rule lets stand', async () => {
    const cell = makeCell()
    const permits = (path: string): boolean => path.endsWith('/a.md')
    expect((await cell.run('mkdir -p .claude/skills; echo a > .claude/skills/a.md', { permits })).aside).toBeUndefined()
    const beside = 'mkdir .claude/other; echo a > .claude/other/a.md; echo b > .claude/other/b.md'
    expect(changed(await cell.run(beside, { permits }), cell)).toEqual(['.claude/other', '.claude/other/b.md'])
  })

  test('has nothing that another command removed as it was approved to', async () => {
    const cell = makeCell()
    put(cell, '.env', 'A=1\n')
    const waiting = cell.run('until test -e go; do sleep 0.02; done')
    const removing = await cell.run('rm .env', { writable: [join(cell.workspace, '.env')] })
    put(cell, 'go', '')
    expect([removing.aside, (await waiting).aside, textAt(cell, '.env')]).toEqual([undefined, undefined, undefined])
  })

  test('is shown as far as a person reads it: no bytes that are no text, and not more than a page', async () => {
    const cell = makeCell()
    const { aside } = await cell.run(`printf 'a\\0b' > .mcp.json`)
    expect(aside?.diff).toContain(`+3 bytes, ${sha256('a\0b').slice(0, 12)}\n`)
    const long = (await cell.run('seq 9000 > .mcp.json')).aside!.diff
    expect(long.slice(20_000)).toMatch(/^\n\[\d+ more characters; all of it lies in \/.+\]\n$/)
  })
})
