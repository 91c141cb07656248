import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { AgentFile } from '../src/contract/agents.ts'
import { idleFields } from '../src/core/config/agents/no-effect.ts'

const root = resolve(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const pages = ['AGENTS.md', 'README.md', ...markdownIn('docs'), ...markdownIn('docs/decisions')]
const ours = ['agents', 'bench', 'bin', 'docs', 'examples', 'scripts', 'src', 'test'].filter((folder) =>
  existsSync(join(root, folder)),
)
const files = ours.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `/${folder}/${path}`),
)
/** Paths, also the short ones, said as if they began at src; and names of sources, wherever they lie. */
const paths = new RegExp(
  `(?<![\\w./-])(?:(?:${[...ours, ...foldersIn('src')].join('|')})/[\\w./-]*\\w|[\\w./-]*\\w\\.ts)\\b`,
  'g',
)

test('every file and folder of ours that the docs name is there', () => {
  expect(missingIn('`src/core/why` and `client/fold.ts`, `fold.ts`')).toEqual([])
  expect(missingIn('`src/core/gone`, `client/gone.ts`, `test/gone`, `gone.ts`')).toHaveLength(4)
  expect(pages.flatMap((page) => missingIn(read(page)).map((path) => `${page}: ${path}`))).toEqual([])
})

const missingIn = (text: string): string[] =>
  [...text.matchAll(paths)].map(([path]) => path).filter((path) => !files.some((file) => file.endsWith(`/${path}`)))

test('each step of the road that a message takes names the files it passes', () => {
  const steps = read('docs/flow.md').match(/^\d+\. \*\*[\s\S]*?(?=^\d+\. |^$)/gm) ?? []
  const hops = steps.map((step) => [...step.matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, file]) => file!))
  expect(steps).toHaveLength(9)
  expect(hops.filter((files) => files.length === 0)).toEqual([])
  expect(hops.flat().filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('the map answers each change with one folder, and it is there', () => {
  const rows = [...read('docs/map.md').matchAll(/^\| (.+) \| (.+) \|$/gm)].slice(1)
  expect(rows.length).toBeGreaterThanOrEqual(10)
  const folders = rows.map(([, , answer = '']) => /^`(src\/[a-z/]+)`$/.exec(answer)?.[1] ?? answer)
  expect(folders.filter((folder) => !statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory())).toEqual(
    [],
  )
  expect(new Set(folders).size).toBe(folders.length)
})

test('the example of a test is a test, and the files of the kit that are named beside it are there', () => {
  const [, page = ''] = read('docs/map.md').split('## How a test is written')
  const example = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? 'no example'
  expect(read('test/kit/kit.test.ts').replaceAll(/^ +/gm, '')).toContain(example)
  const named = [...page.matchAll(/`([a-z-]+\.ts)`/g)].map(([, file = '']) => file)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((file) => !existsSync(join(root, 'test/kit', file)))).toEqual([])
})

test('what everybody has to read stays short', () => {
  expect(read('AGENTS.md').split('\n').length).toBeLessThan(120)
})

function foldersIn(folder: string): string[] {
  const found = readdirSync(join(root, folder), { withFileTypes: true })
  return found.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
}

test('every command that the docs name is there', () => {
  const known = [...read('src/cli/main.ts').matchAll(/import\('\.\/commands\/([a-z]+)\.ts'\)/g)].map(([, name]) => name)
  const named = (text: string): string[] =>
    [...text.matchAll(/(?:^|[`"|&(] ?)troupe ([a-z]+)/gm)].flatMap(([, name = '']) => name)
  expect(named('`troupe up`\ntroupe frob x && troupe gone')).toEqual(['up', 'frob', 'gone'])
  expect(known.length).toBeGreaterThan(20)
  const missing = pages.flatMap((page) =>
    named(read(page))
      .filter((name) => !known.includes(name))
      .map((name) => `${page}: troupe ${name}`),
  )
  expect(missing).toEqual([])
})

test("the guide's table names every field of an agent that does something", () => {
  const [, table = ''] = read('docs/guide.md').split('| field | meaning |')
  const told = table.split('\n\n')[0] ?? ''
  const fields = Object.keys(AgentFile.shape).filter((field) => !(field in idleFields))
  const missing = fields.filter((field) => !new RegExp(`\`${field.replace('$', '\\$')}[\`.]`).test(told))
  expect(missing).toEqual([])
})
