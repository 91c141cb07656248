import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeBench } from '../../../test/kit/judge.ts'
import { exactly, wildcard } from '../../lib/wildcard.ts'
import { pathMatches } from './patterns.ts'

const base = { projectPath: '/p', userHome: '/home/me' }

test('a star is any text, and a backslash takes it literally', () => {
  expect(wildcard('git *', 'git log -5')).toBe(true)
  expect(wildcard('git\\*', 'git*')).toBe(true)
  expect(wildcard('git\\*', 'git log')).toBe(false)
  for (const text of ['a*b\\c', '**', '\\', '']) expect(wildcard(exactly(text), text)).toBe(true)
  expect(wildcard('*', '')).toBe(true)
  expect(wildcard('a*b*c', 'aXbYbZc')).toBe(true)
})

test('paths match by whole names, relative to the project', () => {
  expect(pathMatches('src/*.ts', '/p/src/a.ts', base)).toBe(true)
  expect(pathMatches('src/*.ts', '/p/src/x/a.ts', base)).toBe(false)
  expect(pathMatches('src/**', '/p/src/x/a.ts', base)).toBe(true)
  expect(pathMatches('src/', '/p/src/x/a.ts', base)).toBe(true)
  expect(pathMatches('**/*.env', '/p/a/b.env', base)).toBe(true)
  expect(pathMatches('~/notes/**', '/home/me/notes/x', base)).toBe(true)
  expect(pathMatches('/data/*', '/data-other/x', base)).toBe(false)
  expect(pathMatches('src', '/p/src-other', base)).toBe(false)
})

describe('a file tool', () => {
  test('inside the workspace is allowed, outside is asked for, the data folder is refused', async () => {
    const bench = makeBench()
    expect(await bench.judge('write_file', { path: 'new/a.txt', content: '' })).toMatchObject({ verdict: 'run' })
    expect(await bench.judge('read_file', { path: bench.outside })).toMatchObject({
      verdict: 'ask',
      because: expect.stringContaining('outside the workspace'),
    })
    expect(await bench.judge('write_file', { path: '../x.txt', content: '' })).toMatchObject({ verdict: 'ask' })
    expect(await bench.judge('read_file', { path: join(bench.home, 'token') })).toMatchObject({ verdict: 'refuse' })
    expect(await bench.judge('read_file', { path: '/dev/zero' })).toMatchObject({ verdict: 'refuse' })
    expect(await bench.judge('read_file', { path: 'a\0b' })).toMatchObject({ verdict: 'refuse' })
    expect(await bench.judge('read_file', { path: 'x'.repeat(300) })).toMatchObject({ verdict: 'refuse' })
  })

  test('is judged where a link really leads, and denied also by the name of the link', async () => {
    const bench = makeBench({ allow: ['read_file(notes/**)'], deny: ['read_file(private/**)', 'read_file(link)'] })
    bench.put('private/x', '')
    mkdirSync(join(bench.workspace, 'notes'))
    symlinkSync(join(bench.workspace, 'private'), join(bench.workspace, 'notes', 'way'))
    symlinkSync('/etc/hostname', join(bench.workspace, 'notes', 'out'))
    bench.put('open', '')
    symlinkSync('open', join(bench.workspace, 'link'))
    expect(await bench.judge('read_file', { path: 'notes/way/x' })).toMatchObject({ verdict: 'refuse' })
    expect(await bench.judge('read_file', { path: 'notes/out' })).toMatchObject({ verdict: 'ask' })
    expect(await bench.judge('read_file', { path: 'link' })).toMatchObject({ verdict: 'refuse' })
    expect(await bench.judge('read_file', { path: 'open' })).toMatchObject({ verdict: 'run' })
  })

  test('a rule with a pattern opens exactly that outside the workspace', async () => {
    const bench = makeBench()
    const sources = [{ from: 's', rules: { allow: [`write_file(${bench.outside}/a/*)`] } }]
    const judge = (path: string) => bench.judge('write_file', { path, content: '' }, { sources })
    expect(await judge(`${bench.outside}/a/x`)).toMatchObject({
      verdict: 'run',
      may: { reach: [{ path: `${bench.outside}/a/x`, access: 'write' }] },
    })
    expect(await judge(`${bench.outside}/b/x`)).toMatchObject({ verdict: 'ask' })
    expect(await judge(`${bench.outside}/a/../b/x`)).toMatchObject({ verdict: 'ask' })
  })

  test.each([
    '.troupe/agents/x.md',
    '.git/config',
    '.mcp.json',
    '.claude/x',
    '.agents/x',
    '.env.local',
    'sub/.git/hooks/x',
    '.GIT/config',
  ])('writing %s is asked for whatever is allowed, unless a rule names it', async (path) => {
    const all = { allow: ['*', 'write_file(**)', 'bash(*)', 'write_file(/**)'] }
    const bench = makeBench(all)
    const asked = await bench.judge(
      'write_file',
      { path, content: '' },
      { granted: ['write_file'], unattended: 'allow' },
    )
    expect(asked).toMatchObject({
      verdict: 'ask',
      changesRights: true,
      because: expect.stringContaining('what agents may do'),
    })
    expect(await bench.judge('read_file', { path })).toMatchObject({ verdict: 'run' })
    const named = [{ from: 's', rules: { allow: [`write_file(${path})`] } }]
    expect(await bench.judge('write_file', { path, content: '' }, { sources: named })).toMatchObject({ verdict: 'run' })
    for (const command of [`echo x > ${path}`, `cp a ${path}`, `tee ${path}`, `ln -sf x ${path}`])
      expect([command, await bench.bash(command)]).toEqual([command, 'ask'])
  })
})

describe('rules', () => {
  test('deny wins over ask, ask over allow, from whatever source, and the reason names the rule and its file', async () => {
    const bench = makeBench()
    const sources = [
      { from: '/home/settings.json', rules: { allow: ['bash(git *)'] } },
      { from: '/p/.troupe/settings.json', rules: { ask: ['bash(git push*)'], deny: ['bash(git push --force*)'] } },
    ]
    const judge = (command: string) => bench.judge('bash', { command }, { sources })
    expect(await judge('git fetch')).toMatchObject({
      verdict: 'run',
      because: 'rule allow "bash(git *)" (/home/settings.json)',
    })
    expect(await judge('git push')).toMatchObject({
      verdict: 'ask',
      because: expect.stringContaining('(/p/.troupe/settings.json)'),
    })
    expect(await judge('git push --force')).toMatchObject({ verdict: 'refuse' })
  })

  test('a rule for the whole shell covers everything but protected paths, the data folder and what is denied', async () => {
    const bench = makeBench({ allow: ['bash'], deny: ['bash(curl*)'] })
    expect(await bench.bash('X=1 make $(anything) > out')).toBe('run')
    expect(await bench.bash('cd / && ls')).toBe('run')
    expect(await bench.bash('make; curl x')).toBe('refuse')
    expect(await bench.bash('echo x > .git/config')).toBe('ask')
    expect(await bench.bash('cat ~/.troupe/token')).toBe('refuse')
  })

  test('a background command that was permitted can be read and stopped without asking', async () => {
    expect(await makeBench().judge('bash', { background_id: 'bg_1' })).toMatchObject({ verdict: 'run' })
  })

  test('the narrowest rules for a call allow it again and nothing beside it', async () => {
    const bench = makeBench()
    const asked = await bench.judge('bash', { command: "git commit -m 'a * b' && make *.c" })
    if (asked.verdict !== 'ask') throw new Error('not asked')
    expect(asked.always).toEqual(["bash(git commit -m 'a \\* b')", 'bash(make \\*.c)'])
    const sources = [{ from: 's', rules: { allow: [...asked.always] } }]
    expect(await bench.bash("make *.c && git commit -m 'a * b'", { sources })).toBe('run')
    for (const other of ["git commit -m 'a x b'", 'make x.c', "git commit -m 'a * b' --amend", 'git commit -m a'])
      expect([other, await bench.bash(other, { sources })]).toEqual([other, 'ask'])
    const vague = await bench.judge('bash', { command: 'make "$TARGET"' })
    expect(vague).toMatchObject({ always: ['bash(make "$TARGET")'] })
    const again = [{ from: 's', rules: { allow: ['bash(make "$TARGET")'] } }]
    expect(await bench.bash('make "$TARGET"', { sources: again })).toBe('run')
    expect(await bench.bash('make "$OTHER"', { sources: again })).toBe('ask')
  })

  test('nobody there: refused, or run, but never what changes rights', async () => {
    const bench = makeBench()
    expect(await bench.bash('make', { unattended: 'deny' })).toBe('refuse')
    expect(await bench.bash('make', { unattended: 'allow' })).toBe('run')
    expect(await bench.bash('echo x > .env', { unattended: 'allow' })).toBe('ask')
    expect(
      await bench.bash('rm x', { unattended: 'allow', sources: [{ from: 's', rules: { deny: ['bash(rm*)'] } }] }),
    ).toBe('refuse')
  })
})

describe('whoever was made by an agent', () => {
  test('is judged by its maker’s rules too, the strictest of all', async () => {
    const bench = makeBench({ allow: ['bash(make*)'] })
    const makers = [
      { from: 'agent lead', permissions: { deny: ['bash(make deploy*)'] } },
      { from: 'agent helper', permissions: { ask: ['write_file'] } },
    ]
    expect(await bench.bash('make test', { makers })).toBe('run')
    expect(await bench.judge('bash', { command: 'make deploy' }, { makers })).toMatchObject({
      verdict: 'refuse',
      because: expect.stringContaining('agent lead'),
    })
    expect(await bench.judge('write_file', { path: 'a', content: '' }, { makers })).toMatchObject({ verdict: 'ask' })
  })

  test('gains nothing by rules of its own that its maker has not got', async () => {
    const bench = makeBench()
    const own = { from: 'agent child', rules: { allow: ['bash'] } }
    expect(await bench.bash('make', { own })).toBe('run')
    expect(await bench.bash('make', { own, makers: [{ from: 'agent lead' }] })).toBe('ask')
    const allowing = [{ from: 'agent lead', permissions: { allow: ['bash(make)'] } }]
    expect(await bench.bash('make', { own, makers: allowing })).toBe('run')
  })

  test('has no tool that a maker has not got, unless that one may hand it on', async () => {
    const bench = makeBench({ allow: ['bash'] })
    const without = { from: 'agent lead', tools: { deny: ['bash'] } }
    expect(await bench.judge('bash', { command: 'ls' }, { makers: [without] })).toMatchObject({
      verdict: 'refuse',
      because: expect.stringContaining('agent lead'),
    })
    expect(await bench.bash('ls', { makers: [{ ...without, delegate: ['bash'] }] })).toBe('run')
    expect(await bench.bash('ls', { makers: [{ from: 'agent lead', capabilities: { deny: ['shell'] } }] })).toBe(
      'refuse',
    )
    expect(await bench.bash('ls', { makers: [{ ...without, delegate: ['*'] }, without] })).toBe('refuse')
  })
})
