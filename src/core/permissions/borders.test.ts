import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeBench } from '../../../test/kit/judge.ts'
import { wildcard } from '../../lib/wildcard.ts'
import { builtInTools } from '../../tools/index.ts'
import { ruleOnDenied } from './judge.ts'
import { makersOf, reaches } from './makers.ts'
import { pathMatches } from './patterns.ts'

test('whom a session reaches is what it and every maker allow, and nobody denies', () => {
  expect(reaches({}, [], 'anyone')).toBe(true)
  expect(reaches({ agents: { deny: ['boss'] } }, [], 'boss')).toBe(false)
  expect(reaches({ agents: { deny: ['boss'] } }, [], 'writer')).toBe(true)
  expect(reaches({ agents: { allow: ['w*'] } }, [], 'writer')).toBe(true)
  expect(reaches({ agents: { allow: ['w*'] } }, [], 'boss')).toBe(false)
  expect(reaches({ agents: { allow: ['*'], deny: ['w*'] } }, [], 'writer')).toBe(false)
  expect(reaches({}, [{ from: 'lead', agents: { deny: ['boss'] } }], 'boss')).toBe(false)
  expect(reaches({}, [{ from: 'lead' }, { from: 'helper', agents: { allow: ['boss'] } }], 'writer')).toBe(false)
})

test('makers that cannot be read leave a session without any tool', async () => {
  for (const makers of ['{', '{"from":"x"}', '[{"from":"x","more":1}]']) {
    const bench = makeBench({ allow: ['*'] })
    expect([makers, await bench.bash('ls', { makers: makersOf({ id: 's', makers }) })]).toEqual([makers, 'refuse'])
  }
  expect(makersOf({ id: 's', makers: '[{"from":"agent lead"}]' })).toEqual([{ from: 'agent lead' }])
})

describe('a pattern', () => {
  test('takes a backslash at its end for itself, and stars side by side for one', () => {
    expect(wildcard('a\\', 'a\\')).toBe(true)
    expect(wildcard('a**b', 'ab')).toBe(true)
    expect(wildcard('*b', 'abab')).toBe(true)
    expect(wildcard('*b', 'abac')).toBe(false)
    expect(wildcard('ab', 'abc')).toBe(false)
    expect(wildcard('abc', 'ab')).toBe(false)
    expect(wildcard('', '')).toBe(true)
    expect(wildcard('', 'a')).toBe(false)
  })

  test('of a path with more names than can be compared matches nothing', () => {
    const base = { projectPath: '/p', userHome: undefined }
    const names = (count: number) => Array.from({ length: count }, () => 'x').join('/')
    expect(pathMatches('/**', `/${names(199)}`, base)).toBe(true)
    expect(pathMatches('/**', `/${names(200)}`, base)).toBe(false)
    expect(pathMatches(`/${names(199)}`, `/${names(199)}`, base)).toBe(true)
    expect(pathMatches(`/${names(199)}/**`, `/${names(199)}`, base)).toBe(false)
    expect(pathMatches('~/a', '/p/~/a', base)).toBe(true)
    expect(pathMatches('././a', '/p/a', base)).toBe(true)
  })
})

describe('a command', () => {
  test('that reaches outside is allowed only by a rule that says where', async () => {
    const bench = makeBench({ allow: ['bash(cat *)'] })
    expect(await bench.bash('cat a.txt')).toBe('run')
    expect(await bench.bash('cat /etc/hostname')).toBe('ask')
    const sources = [{ from: 's', rules: { allow: ['bash(cat /etc/*)'] } }]
    expect(await bench.bash('cat /etc/hostname', { sources })).toBe('run')
    expect(await bench.bash('cat /usr/x', { sources })).toBe('ask')
  })

  test('whose first argument is known only when it runs is not what a rule means', async () => {
    const bench = makeBench({ allow: ['bash(cat *)'] })
    expect(await bench.bash('cat "$x"')).toBe('ask')
    expect(await bench.bash('cat a.txt "$x"')).toBe('ask')
  })

  test('reaches what is written right behind an option', async () => {
    const bench = makeBench({ allow: ['bash(make *)'] })
    expect(await bench.bash('make -fsub/x')).toBe('run')
    expect(await bench.bash('make -f/etc/hostname')).toBe('ask')
    expect(await bench.bash('make --file=/etc/hostname')).toBe('ask')
  })

  test('may send its output to nowhere without being asked about it', async () => {
    const bench = makeBench({ allow: ['bash(ls*)'] })
    expect(await bench.bash('ls > /dev/null')).toBe('run')
    expect(await bench.bash('ls 2> /dev/stderr')).toBe('run')
    expect(await bench.bash('ls > /dev/tty')).not.toBe('run')
  })

  test('is denied under its full path too', async () => {
    const bench = makeBench({ allow: ['bash'], deny: ['bash(curl*)'] })
    expect(await bench.bash('/usr/bin/curl x')).toBe('refuse')
    expect(await bench.bash('/usr/bin/make curl')).toBe('run')
  })

  test('that does nothing by itself runs unasked, in the workspace only', async () => {
    const bench = makeBench()
    expect(await bench.bash('cd sub')).toBe('run')
    expect(await bench.bash('pwd')).toBe('run')
    expect(await bench.bash('cd /')).toBe('ask')
    expect(await bench.bash('cd "$x"')).toBe('ask')
  })

  test.each([
    ['git commit -m x', ['.']],
    ['cd sub && git add .', ['sub']],
    ['git -C sub add . && git add .', ['sub', '.']],
    ['cat a.patch | git apply', ['.']],
    ['git status && git commit -m x | tail -1', ['.']],
    ['git commit -m x && make', ['.']],
    ['git status', []],
    ['git', []],
    ['git log | cat', []],
    ['make', []],
    ['git --git-dir=other add .', []],
    ['git -C sub log main', []],
    ['git -c a.b=c log main', []],
    ['git -c a.b=c add .', ['.']],
    ['git -c a.b=c -C sub add .', ['sub']],
  ])('opens the repositories in which git changes something once it is approved: %s', async (command, folders) => {
    const bench = makeBench()
    const verdict = await bench.judge('bash', { command })
    const opened = folders.map((folder) => join(bench.workspace, folder))
    expect(verdict).toMatchObject({ verdict: 'ask', may: { git: { folders: opened } } })
  })

  test.each([
    [['bash', 'bash(git *)'], 'git commit -m x && make', ['.'], 'closed'],
    [['bash', 'bash(git *)'], 'git config a.b c', ['.'], 'remotes'],
    [['bash', 'bash(git config a.b c)'], 'git config a.b c', ['.'], 'open'],
    [['bash', 'bash(git config --get*)'], 'git config a.b c', [], 'closed'],
    [['*', 'bash(git status*)'], 'git config a.b c', [], 'closed'],
    [['bash', 'read_file(git-notes/**)'], 'git commit -m x', [], 'closed'],
    [['bash'], 'git commit -m x', [], 'closed'],
  ])(
    'that rules allow opens only the repositories of the git commands that they name: %j, %s',
    async (allow, command, folders, config) => {
      const bench = makeBench({ allow })
      const verdict = await bench.judge('bash', { command })
      const opened = folders.map((folder) => join(bench.workspace, folder))
      expect(verdict).toMatchObject({ verdict: 'run', may: { git: { folders: opened, config } } })
    },
  )

  test('opens what the shell itself opens outside or protected, and what is named to a program outside', async () => {
    const bench = makeBench()
    const reachOf = async (command: string) => {
      const verdict = await bench.judge('bash', { command })
      return verdict.verdict === 'ask' ? verdict.may.reach : verdict
    }
    bench.put('.env', '')
    bench.put('a.txt', '')
    const env = { path: join(bench.workspace, '.env'), access: 'write' }
    expect(await reachOf('make > a.txt')).toEqual([])
    expect(await reachOf('make > .env')).toEqual([env])
    expect(await reachOf('make < .env')).toEqual([])
    expect(await reachOf('make < /etc/hostname')).toEqual([{ path: '/etc/hostname', access: 'read' }])
    expect(await reachOf('cp a.txt .env')).toEqual([env])
    expect(await reachOf('mkdir -p .claude/skills')).toEqual([
      { path: join(bench.workspace, '.claude/skills'), access: 'write' },
    ])
    expect(await reachOf(`cat ${bench.outside}`)).toEqual([{ path: bench.outside, access: 'read' }])
    expect(await reachOf(`cp a.txt ${bench.outside}`)).toEqual([{ path: bench.outside, access: 'write' }])
  })
})

describe('what a person granted for the session', () => {
  test('answers what would be asked, and neither what is denied nor what changes rights', async () => {
    const bench = makeBench({ deny: ['bash(curl*)'] })
    expect(await bench.bash('make')).toBe('ask')
    expect(await bench.bash('make', { granted: ['bash'] })).toBe('run')
    expect(await bench.bash('curl x', { granted: ['bash', 'bash(curl x)'] })).toBe('refuse')
    const env = await bench.judge('write_file', { path: '.env', content: '' }, { granted: ['write_file(.env)'] })
    expect(env).toMatchObject({ verdict: 'ask', changesRights: true })
  })

  test('is the very command, the very file or the very addressee, and a tool as a whole where there is no more to name', async () => {
    const bench = makeBench({ ask: ['agent_send', 'sleep'] })
    expect(await bench.judge('bash', { command: 'make' })).toMatchObject({ always: ['bash(make)'] })
    const file = `write_file(${bench.outside}/x)`
    const outside = await bench.judge('write_file', { path: `${bench.outside}/x`, content: '' })
    expect(outside).toMatchObject({ always: [file] })
    const sent = await bench.judge('agent_send', { to: 'writer', message: 'Hi' })
    expect(sent).toMatchObject({ verdict: 'ask', always: ['agent_send(writer)'] })
    expect(await bench.judge('sleep', { seconds: 5 })).toMatchObject({ verdict: 'ask', always: ['sleep'] })
  })
})

describe('a rule', () => {
  test('of the agent’s own is the reason where its maker’s says the same', async () => {
    const bench = makeBench()
    const own = { from: 'agent child', rules: { ask: ['bash'] } }
    const makers = [{ from: 'agent lead', permissions: { ask: ['bash'] } }]
    const asked = await bench.judge('bash', { command: 'make' }, { own, makers })
    expect(asked.because).toContain('agent child')
  })

  test('of 4000 characters counts; a longer one allows nothing, and denies or asks for all of its tool', async () => {
    const of = (length: number) => `bash(echo ${'x'.repeat(length - 'bash(echo *)'.length)}*)`
    const sources = (rules: Record<string, string[]>) => ({ sources: [{ from: 's', rules }] })
    const bench = makeBench()
    const long = `echo ${'x'.repeat(4000)}`
    expect(await bench.bash(long, sources({ allow: [of(4000)] }))).toBe('run')
    expect(await bench.bash(long, sources({ allow: [of(4001)] }))).toBe('ask')
    expect(await bench.bash('ls', sources({ allow: ['bash'], deny: [of(4000)] }))).toBe('run')
    expect(await bench.bash('ls', sources({ allow: ['bash'], deny: [of(4001)] }))).toBe('refuse')
    expect(await bench.bash('ls', sources({ allow: ['bash'], ask: [of(4001)] }))).toBe('ask')
    expect(await bench.bash('ls', sources({ allow: ['bash'], deny: ['x'.repeat(4001)] }))).toBe('refuse')
    const read = await bench.judge('read_file', { path: 'a' }, sources({ deny: [of(4001)] }))
    expect(read.verdict).toBe('run')
    const refused = await bench.judge('bash', { command: 'ls' }, sources({ deny: [of(4001)] }))
    expect(refused.because.length).toBeLessThan(300)
  })

  test('that means everything grants nothing that is denied by default; the name of the tool or of the thing does', () => {
    const toolOf = (name: string) => builtInTools.find((one) => one.name === name)!
    const [tool, sends] = [toolOf('session_read'), toolOf('agent_send')]
    const decided = (what: string, allow: string[], of = tool) =>
      ruleOnDenied(
        { sources: [{ from: 's', rules: { allow } }], own: { from: 'a', rules: {} }, makers: [], granted: [] },
        of,
        what,
      )
    expect(decided('abcd', [])).toBe('deny')
    expect(decided('abcd', ['*'])).toBe('deny')
    expect(decided('abcd', ['*(abcd)'])).toBe('deny')
    expect(decided('abcd', ['session_read'])).toBe('allow')
    expect(decided('abcd', ['session_read(ab*)'])).toBe('allow')
    expect(decided('abcd', ['session_read(xy*)'])).toBe('deny')
    expect(decided('abcd', ['agent_send'], sends)).toBe('deny')
    expect(decided('abcd', ['agent_send(abcd)'], sends)).toBe('allow')
  })
})

test('a rule about whom to write to means that one only', async () => {
  const bench = makeBench({ deny: ['agent_send(boss)'] })
  const sent = async (to: string) => (await bench.judge('agent_send', { to, message: 'Hi' })).verdict
  expect([await sent('boss'), await sent('writer')]).toEqual(['refuse', 'run'])
  const asked = async (to: string) => (await bench.judge('agent_message', { to, message: 'Hi?' })).verdict
  expect([await asked('boss'), await asked('writer')]).toEqual(['refuse', 'run'])
})

test('what is asked for by default says which capability is the reason', async () => {
  const bench = makeBench()
  expect(await bench.judge('glob', { pattern: '*' })).toMatchObject({ verdict: 'run' })
  expect(await bench.judge('todo_read', {})).toMatchObject({
    verdict: 'run',
    because: 'todo_read is allowed by default',
  })
  expect(await bench.judge('bash', { background_id: 'b1' })).toMatchObject({
    verdict: 'run',
    because: 'bash is allowed by default',
  })
})

test('what is refused by default says why, and what it is about', async () => {
  const { because } = await makeBench().judge('web_fetch', { url: 'http://127.0.0.1:9/' })
  expect(because).toMatch(
    /^Not permitted: web_fetch\(127\.0\.0\.1:9\) is denied by default: it is an address of this machine/,
  )
})

test('what cannot be told apart is asked for with what the command does to which files', async () => {
  const bench = makeBench({ allow: ['bash'], deny: ['read_file(sub/secret)', 'write_file(sub/secret)'] })
  bench.put('sub/secret', '')
  const because = async (command: string) => (await bench.judge('bash', { command })).because
  expect(await because('grep -r x sub')).toBe(
    'it cannot be told whether rule deny "read_file(sub/secret)" (settings.json) means reading sub',
  )
  expect(await because('chmod -R 644 sub')).toBe(
    'it cannot be told whether rule deny "write_file(sub/secret)" (settings.json) means writing sub',
  )
})
