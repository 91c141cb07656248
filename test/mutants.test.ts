import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { mutantsOf, mutated } from '../scripts/mutants/places.ts'
import { readReasons } from '../scripts/mutants/reasons.ts'
import { makeFolder } from './kit/files.ts'

const script = resolve(import.meta.dirname, '../scripts/mutants.ts')

const clamp =
  'export function clamp(value: number, limit: number): number {\n  if (value > limit) return limit\n  return value\n}\n'
const strict = "import { expect, test } from 'vitest'\nimport { clamp } from './clamp.ts'\n"
const above = "test('a value above the limit is the limit', () => expect(clamp(5, 3)).toBe(3))\n"
const below = "test('one below it stays', () => expect(clamp(2, 3)).toBe(2))\n"

test('a change that no test sees is listed with its place and its line, and the command fails', () => {
  const source = `${clamp}export const twice = (n: number): number => n * 2\n`
  const project = createProject({ 'src/clamp.ts': source, 'src/clamp.test.ts': strict + above })
  const { status, stdout } = mutants(project, 'src', '--seed', '7')
  expect(stdout).toContain('SURVIVED src/clamp.ts:2 operator turned')
  expect(stdout).toContain('  +   if (value >= limit) return limit')
  expect(stdout).toMatch(/caught +src\/clamp\.ts:2 check dropped \(a value above the limit is the limit\)/)
  expect(stdout).toContain('src/clamp.ts:5 off by one (no test reaches it)')
  expect(status).toBe(1)
  expect(readFileSync(join(project, 'src/clamp.ts'), 'utf8')).toBe(source)
})

test('the command succeeds when every change is caught or has its reason', () => {
  const reason =
    '- `` src/clamp.ts: if (value [> → >=] limit) return limit ``: the limit itself is the same either way.\n'
  const project = createProject({
    'src/clamp.ts': clamp,
    'src/clamp.test.ts': strict + above + below,
    'scripts/mutants/reasons.md': reason,
  })
  const { status, stdout } = mutants(project, 'src/clamp.ts', '--seed', '7')
  expect(stdout).toContain('Seed 7: 2 of 2 places in 1 files, 1 more have a reason.')
  expect(stdout).toContain('2 caught, 0 survived, 0 not run.')
  expect(status).toBe(0)
})

test('a change that makes a test run for ever is caught, and said to have timed out', () => {
  const project = createProject({
    'src/count.ts': 'export function count(to: number): number {\n  let n = 0\n  while (n < to) n++\n  return n\n}\n',
    'src/count.test.ts':
      "import { expect, test } from 'vitest'\nimport { count } from './count.ts'\ntest('it counts', () => expect(count(0)).toBe(0))\n",
  })
  const { status, stdout } = mutants(project, 'src', '--seed', '7', '--patience', '4')
  expect(stdout).toContain('Timed out, counted as caught: src/count.ts:3 condition turned')
  expect(stdout).toContain('3 caught, 0 survived')
  expect(status).toBe(0)
})

test('a change that only makes a test come too late is caught, and said to have timed out', () => {
  const project = createProject({
    'src/door.ts':
      'export async function pass(open: boolean): Promise<void> {\n  if (!open) await new Promise(() => {})\n}\n',
    'src/door.test.ts':
      "import { test } from 'vitest'\nimport { pass } from './door.ts'\ntest('an open door lets you pass', { timeout: 200 }, () => pass(true))\n",
  })
  const { status, stdout } = mutants(project, 'src', '--seed', '7')
  expect(stdout).toMatch(/timed out src\/door\.ts:2 not dropped \(an open door lets you pass\)/)
  expect(stdout).toContain('Timed out, counted as caught: src/door.ts:2 not dropped')
  expect(status).toBe(0)
})

test('the same seed takes the same sample', () => {
  const lines = Array.from({ length: 30 }, (_, n) => `export const v${n} = ${n}\n`).join('')
  const project = createProject({ 'src/many.ts': lines })
  const sampled = (seed: string) =>
    mutants(project, 'src', '--seed', seed, '--count', '5')
      .stdout.match(/src\/many\.ts:\d+/g)
      ?.sort()
  const first = sampled('7')
  expect(new Set(first)).toHaveLength(5)
  expect(sampled('7')).toEqual(first)
  expect(sampled('8')).not.toEqual(first)
})

test('every reason is about a change that can still be made', () => {
  const root = resolve(import.meta.dirname, '..')
  const reasons = [...readReasons(join(root, 'scripts/mutants/reasons.md'))]
  const files = new Set(
    reasons.map((reason) => reason.slice(0, reason.indexOf(':'))).filter((file) => existsSync(join(root, file))),
  )
  const names = new Set(
    [...files].flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')).map(({ name }) => name)),
  )
  expect(reasons.filter((reason) => !names.has(reason))).toEqual([])
})

test.each([
  [[], 'Name at least one file or folder.'],
  [['src/nowhere'], 'There are no sources at src/nowhere'],
  [['src', '--count', 'many'], '--count is a whole number from 1 on.'],
  [['src', '--fast'], "Unknown option '--fast'"],
])('it says how it is used when it is called with %j', (words, sentence) => {
  const project = createProject({ 'src/clamp.ts': clamp })
  const { status, stderr } = mutants(project, ...words)
  expect(stderr).toContain(sentence)
  expect(stderr).toContain('npm run mutants -- <files or folders of src>')
  expect(status).toBe(2)
})

test.each([
  ['if (a) b()', ['if (!(a)) b()', 'if (a) ;']],
  ['if (!a) return\n', ['if (a) return\n', ';\n']],
  ['x = a <= 3', ['x = a < 3', 'x = a <= 4']],
  ['x = (a ?? b) && c', ['x = (a ?? b) || c', 'x = (a) && c']],
  ['x = (await a) ?? {}', ['x = (await a)']],
  ["throw new Error('no' ?? 1)", [';']],
  ['await store.close()', [';']],
  ["x = db.where('a', '=', b).all", ['x = db.all', "x = db.where('a', '!=', b).all"]],
  ["x = 'a' + b as 1", []],
  ["core.log.warn('a', 1)", []],
  ['const WINDOW_MS = 60 * 1000', []],
])('%s is changed in every way that matters', (source, expected) => {
  const found = mutantsOf('src/a.ts', `async function f() { ${source} }`).map((one) =>
    mutated(`async function f() { ${source} }`, one).slice('async function f() { '.length, -' }'.length),
  )
  expect(found.sort()).toEqual([...expected].sort())
})

function mutants(project: string, ...words: string[]) {
  const { NODE_OPTIONS: _, ...env } = process.env
  return spawnSync(process.execPath, [script, ...words], { cwd: project, encoding: 'utf8', env })
}

/** A project as small as can be, with the test runner of this one. */
function createProject(files: Record<string, string>): string {
  const project = makeFolder()
  const config = 'export default { test: { include: ["src/**/*.test.ts"] } }\n'
  const all = {
    'package.json': '{"type":"module"}',
    '.gitignore': 'node_modules\n',
    'vitest.config.ts': config,
    ...files,
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  mkdirSync(join(project, 'node_modules'))
  const installed = resolve(import.meta.dirname, '../node_modules')
  for (const name of ['vitest', 'vite']) symlinkSync(join(installed, name), join(project, 'node_modules', name))
  spawnSync('git', ['init', '-q', project])
  return project
}
