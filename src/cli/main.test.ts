import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bin, gone, openDesk, sourceBin } from '../../test/kit/desk.ts'
import { makeFolder } from '../../test/kit/files.ts'

const desk = openDesk()
afterAll(() => desk.close())

/** Makes Node claim to be version 20, so that the entry point does what it does on an old Node. */
const old = join(desk.project, 'old.mjs')
writeFileSync(old, "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })\n")
const asOld = ['--import', old]

test('help has every command in a group, three examples that work here, and reaches no server', async () => {
  const { code, out } = await desk.run('--help')
  expect(code).toBe(0)
  for (const name of ['welcome', 'chat', 'ask', 'inbox', 'sessions', 'init', 'doctor', 'up', 'listen'])
    expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  expect(out.match(/^[A-Z][\w ]+:$/gm)).toEqual([
    'Options:',
    'Talk to agents:',
    'See what they do:',
    'Make a team:',
    'Keep it running:',
    'For scripts and shells:',
    'Examples:',
  ])
  expect(out).toContain('\n  troupe ask assistant "')
  expect(await desk.run()).toEqual({ code, out, err: '' })
  const unlinked = await desk.start(['--help'], { env: { PATH: dirname(process.execPath) } }).done
  expect(unlinked.out).toContain(`\n  node ${bin} ask assistant "`)
  expect(desk.server()).toBeUndefined()
})

test('help loads none of the commands', () => {
  const script = `import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => { if (url.includes('/src/')) console.error(url); return next(url, context) } })`
  const hook = join(desk.project, 'loaded.mjs')
  writeFileSync(hook, script)
  const { stderr } = spawnSync(process.execPath, ['--import', hook, sourceBin, '--help'], { encoding: 'utf8' })
  const files = stderr.split('\n').flatMap((url) => /\/src\/(.+)$/.exec(url)?.[1] ?? [])
  expect(files.sort()).toEqual([
    'cli/called.ts',
    'cli/failure.ts',
    'cli/main.ts',
    'cli/print.ts',
    'lib/closest.ts',
    'lib/hidden.ts',
  ])
})

test('"help send" is what "send --help" says', async () => {
  const [word, flag] = await Promise.all([desk.run('help', 'send'), desk.run('send', '--help')])
  expect(word.code).toBe(0)
  expect(word.out).toContain('--wait')
  expect(word.out).toBe(flag.out)
})

test('wrong usage ends with 2 and says how it is used', async () => {
  const port = await desk.run('up', '--port', 'many', '--json')
  expect(port.code).toBe(2)
  expect(JSON.parse(port.err).error.message).toContain('--port must be a number')
  expect(port.out).toBe('')
})

test.each([
  [['sned'], 'There is no command "sned".', 'send"?'],
  [['helo'], 'There is no command "helo".', 'help"?'],
  [['help', 'frobnicate'], 'There is no command "frobnicate".', '--help" lists them.'],
  [['constructor'], 'There is no command "constructor".', '--help" lists them.'],
  [['sessions', 'mesages'], 'There is no command "sessions mesages".', 'sessions messages"?'],
  [['models', 'frob'], 'There is no command "models frob".', 'There is: list, update.'],
  [['sessions', '--limt', '3'], "unknown option '--limt'", 'Did you mean --limit?'],
  [['ask', 'assistant', ''], 'There is no text to send.', 'pipe it in'],
  [['ask', '', 'x'], '"to" is empty.', 'agents" shows what there is'],
  [['chat', ''], '"agent" is empty.', 'agents" shows what there is'],
  [['chat', '--session', ' '], '"--session" is empty.', 'sessions" shows what there is'],
  [['sessions', 'show', ''], '"session" is empty.', 'sessions" shows what there is'],
  [['permissions', 'check', '--agent', '', 'bash ls'], '"--agent" is empty.', 'permissions check --help"'],
  [['--home', '', 'agents'], '"--home" is empty.', 'agents list --help"'],
  [['inbox', 'answer', 'x', ''], 'There is no text to send.', 'pipe it in'],
] as const)('%j is wrong usage, said in a sentence with the way out, and starts nothing', async (words, said, way) => {
  const { code, out, err } = await desk.run(...words)
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain(said)
  expect(err).toContain(way)
  expect(desk.server()).toBeUndefined()
})

test('a reader that has read enough ends the program quietly', async () => {
  const { child, done } = desk.start(['--help'])
  child.stdout?.destroy()
  const { code, err } = await done
  expect(code).toBe(0)
  expect(err).toBe('')
})

test('an old Node runs the bundled one and passes its exit code on', async () => {
  const { code, err } = await desk.start(['sned'], { node: asOld }).done
  expect(code).toBe(2)
  expect(err).toContain('There is no command "sned"')
})

test('an old Node without a bundled one says what to install', () => {
  const folder = makeFolder()
  mkdirSync(join(folder, 'bin'))
  copyFileSync(bin, join(folder, 'bin', 'troupe.mjs'))
  const { status, stderr } = spawnSync(process.execPath, [...asOld, join(folder, 'bin', 'troupe.mjs'), 'status'], {
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  const { engines } = JSON.parse(readFileSync(join(bin, '..', '..', 'package.json'), 'utf8'))
  expect(stderr).toContain(`needs Node ${engines.node.replace('>=', '')} or newer`)
  expect(stderr).toContain('npm ci')
})

test('a bundled Node that npm hoisted further up is found', () => {
  const folder = makeFolder()
  const inner = join(folder, 'node_modules', 'troupe', 'bin')
  const hoisted = join(folder, 'node_modules', 'node', 'bin')
  mkdirSync(inner, { recursive: true })
  mkdirSync(hoisted, { recursive: true })
  copyFileSync(bin, join(inner, 'troupe.mjs'))
  writeFileSync(join(hoisted, 'node'), '#!/bin/sh\necho hoisted "$@"\n', { mode: 0o755 })
  const out = execFileSync(process.execPath, [...asOld, join(inner, 'troupe.mjs'), 'status'], { encoding: 'utf8' })
  expect(out).toMatch(/^hoisted .*troupe\.mjs status$/m)
})

test('SIGTERM to the old Node stops the server behind it', async () => {
  const running = desk.start(['up', '--json', '--port', '0'], { node: asOld })
  await running.said('"pid"')
  const pid = desk.server()!.pid
  expect(pid).not.toBe(running.child.pid)
  running.child.kill('SIGTERM')
  const { code } = await running.done
  expect(code).toBe(0)
  await gone(pid)
  expect(desk.server()).toBeUndefined()
})

test('kill -9 of the old Node takes the server behind it along', async () => {
  const running = desk.start(['up', '--json', '--port', '0'], { node: asOld })
  await running.said('"pid"')
  running.child.kill('SIGKILL')
  await gone(desk.server()!.pid)
})
