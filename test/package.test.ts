import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sandboxSupport } from '../src/lib/sandbox/sandbox.ts'
import { type Desk, isAlive, openDesk } from './kit/desk.ts'
import { makeFolder } from './kit/files.ts'

const run = promisify(execFile)
const repository = dirname(import.meta.dirname)
const root = makeFolder(afterAll)
const copy = join(root, 'copy')
const prefix = join(root, 'prefix')
const troupe = join(prefix, 'bin', 'troupe')
const installedIn = join(prefix, 'lib/node_modules/troupe')
const INSTALL_MS = 180_000
const shutsIn = sandboxSupport(process.env, 'strict').program !== undefined

let packed: { filename: string; size: number; files: { path: string }[] }
let desk: Desk

beforeAll(async () => {
  copyRepository()
  packed = await pack()
  await npm([
    'install',
    '--global',
    '--prefix',
    prefix,
    '--ignore-scripts',
    '--prefer-offline',
    join(root, packed.filename),
  ])
  desk = openDesk(troupe)
}, INSTALL_MS)

afterAll(() => desk?.close())

test('the package holds the compiled program, its agents and its documents, and stays small', () => {
  const paths = packed.files.map(({ path }) => path)
  const folders = new Set(paths.map((path) => path.split('/')[0]))
  expect([...folders].sort()).toEqual(['LICENSE', 'README.md', 'agents', 'bin', 'dist', 'docs', 'package.json'])
  expect(paths.filter((path) => /\.(ts|map)$/.test(path))).toEqual([])
  expect(paths).toContain('dist/js/guard.pl')
  expect(paths).toEqual(
    expect.arrayContaining(['dist/web/index.html', expect.stringMatching(/^dist\/web\/assets\/.+\.js\.br$/)]),
  )
  // A quarter of it is the page, as it is and compressed.
  expect(packed.size).toBeLessThan(3_000_000)
})

test('nothing else is installed with it: what it uses is inside', () => {
  expect(readdirSync(join(prefix, 'lib/node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['troupe'])
  const inside = readdirSync(installedIn, { recursive: true, withFileTypes: true })
  expect(inside.filter(({ name }) => name === 'node_modules')).toEqual([])
  const files = inside.filter((entry) => entry.isFile())
  const size = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  expect(size).toBeLessThan(12_000_000)
})

test('what is compiled is ASCII, of which Node keeps one byte a letter and not two', () => {
  const compiled = join(installedIn, 'dist/js')
  const files = readdirSync(compiled).filter((name) => name.endsWith('.js'))
  expect(files).toContain('app.js')
  expect(files.filter((name) => /[\u0080-\uffff]/.test(readFileSync(join(compiled, name), 'utf8')))).toEqual([])
})

test('what is bundled comes with its licence', () => {
  const used = {
    'dist/licences.txt': ['zod', 'hono', 'commander', '@ai-sdk/anthropic', '@anthropic-ai/sandbox-runtime'],
    'dist/web/licences.txt': ['react', 'react-dom', '@tanstack/react-router', 'cmdk', 'marked', 'lowlight'],
  }
  for (const [file, names] of Object.entries(used)) {
    const text = readFileSync(join(installedIn, file), 'utf8')
    for (const name of names) expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'))
  }
})

test('the installed command says its version', async () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const { stdout } = await run(troupe, ['--version'], { env: onPath() })
  expect(stdout.trim()).toBe(version)
})

test('the installed server serves a chat that searches, and a command once it is approved', async () => {
  desk.put('hay.txt', 'straw\na needle\n')
  const server = desk.start(['up', '--json', '--port', '0'])
  await server.said('"pid"')
  expect(await (await fetch(desk.server()!.url)).text()).toContain('<script type="module"')

  const searched = await desk.pipe('search for needle\n', 'chat', '--new')
  expect(searched.out).toContain('hay.txt:2: a needle')
  expect(searched.code).toBe(0)

  const approved = await desk.pipe('run ls -a\nonce\n', 'chat', '--new')
  expect(approved.out).toContain('hay.txt')
  expect(approved.code).toBe(0)

  const [latest] = (await desk.json('sessions')).items
  expect((await desk.run('sessions', 'export', latest.handle)).out).toContain('run ls -a')

  const { pid } = desk.server()!
  expect(await desk.json('down')).toEqual({ stopped: true, pid })
  expect((await server.done).code).toBe(0)
  expect(isAlive(pid)).toBe(false)
})

test.skipIf(!shutsIn)(
  'a command that is shut in reaches the hosts it may through the installed proxy, and no other',
  async () => {
    const web = createServer((_, response) => void response.end('served'))
    await new Promise<void>((resolve) => web.listen(0, resolve))
    onTestFinished(() => void web.close())
    const { port } = web.address() as AddressInfo
    const rules = { allow: ['bash(curl*)', `web_fetch(localhost:${port})`] }
    const other = openDesk(troupe)
    onTestFinished(() => other.close())
    mkdirSync(other.home, { recursive: true, mode: 0o700 })
    writeFileSync(join(other.home, 'settings.json'), JSON.stringify({ sandbox: 'strict', permissions: rules }))

    const may = await other.run('send', 'assistant', '--wait', `run curl -sS -m 10 http://localhost:${port}/`)
    expect(may.out).toContain('served')
    const not = await other.run('send', 'assistant', '--wait', `run curl -sS -m 10 http://127.0.0.1:${port}/`)
    expect([not.code, not.out.includes('served')]).toEqual([0, false])
  },
)

test('the installed command makes a project with an agent and its schemas', async () => {
  const { made } = await desk.json('init')
  expect(made).toContain('.troupe/schemas/agent.schema.json')
})

test('an older Node is told what to install, and not to run npm ci', () => {
  const old = join(root, 'old.mjs')
  writeFileSync(old, "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.1.0' } })\n")
  const { status, stderr } = spawnSync(process.execPath, ['--import', old, troupe, 'status'], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('needs Node 24')
  expect(stderr).toContain('Install it')
  expect(stderr).not.toContain('npm ci')
})

test('in the repository the sources run, whatever dist holds', async () => {
  writeFileSync(join(copy, 'dist/js/main.js'), 'throw new Error("stale")\n')
  const { stdout } = await run(process.execPath, [join(copy, 'bin/troupe.mjs'), '--version'])
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/)
})

test('bash completes commands, options and shells with the installed script, without starting a server', async () => {
  expect(await completed('troupe', 'sess')).toEqual(['sessions'])
  expect(await completed('troupe', 'sessions', 'mess')).toEqual(['messages'])
  expect(await completed('troupe', 'send', '--foll')).toEqual(['--followup'])
  expect(await completed('troupe', 'completion', '')).toEqual(['bash', 'zsh', 'fish'])
  expect(await completed('troupe', 'chat', '')).toEqual([])
  expect(desk.server()).toBeUndefined()
})

test('the script for bash is one that bash accepts', async () => {
  await accepted('bash', ['-n'])
})

test.skipIf(!installed('zsh'))('the script for zsh is one that zsh accepts', async () => {
  await accepted('zsh', ['-n'])
})

test.skipIf(!installed('fish'))('the script for fish is one that fish accepts', async () => {
  await accepted('fish', ['--no-execute'])
})

/** Built apart from the repository, where others may be building too. */
function copyRepository(): void {
  mkdirSync(copy)
  const parts = ['bin', 'src', 'web', 'agents', 'docs', 'scripts', 'package.json', 'tsconfig.json', 'tsdown.config.ts']
  for (const part of [...parts, 'README.md', 'LICENSE'])
    cpSync(join(repository, part), join(copy, part), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
}

async function pack(): Promise<typeof packed> {
  await npm(['run', 'build'])
  const [result] = JSON.parse(await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', root]))
  return result
}

async function npm(words: readonly string[]): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error']
  const { stdout } = await run('npm', [...words, ...quiet], { cwd: copy, env: onPath(), maxBuffer: 16 * 1024 * 1024 })
  return stdout
}

/** With the Node of this test and the installed command in front. */
function onPath(): NodeJS.ProcessEnv {
  const PATH = [join(prefix, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
  return { ...process.env, PATH }
}

/** What bash would offer behind these words. */
async function completed(...words: string[]): Promise<string[]> {
  const script = `source <(troupe completion bash)
    complete -p troupe >/dev/null || exit 1
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _troupe
    for value in "\${COMPREPLY[@]}"; do echo "$value"; done`
  const env = { ...onPath(), TROUPE_HOME: desk.home }
  const { stdout, stderr } = await run('bash', ['-c', script, 'bash', ...words], { env, cwd: desk.project })
  expect(stderr).toBe('')
  return stdout.split('\n').filter(Boolean)
}

async function accepted(shell: string, check: readonly string[]): Promise<void> {
  const file = join(root, `completion.${shell}`)
  const { stdout } = await run(troupe, ['completion', shell], { env: onPath() })
  writeFileSync(file, stdout)
  expect(spawnSync(shell, [...check, file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
}

function installed(shell: string): boolean {
  return spawnSync(shell, ['--version'], { stdio: 'ignore' }).error === undefined
}
