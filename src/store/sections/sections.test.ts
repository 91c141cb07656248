import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder, putFile } from '../../../test/kit/files.ts'
import { openSections } from './sections.ts'

/** A folder of Markdown files and an index beside it. */
function makeIndex(files: Record<string, string>) {
  const root = makeFolder()
  const [folder, file] = [join(root, 'memory'), join(root, 'index.db')]
  mkdirSync(folder)
  const put = (path: string, text: string) => putFile(join(folder, path), text)
  for (const [path, text] of Object.entries(files)) put(path, text)
  const sections = openSections(file)
  onTestFinished(() => sections.close())
  const find = async (query: string, without: string[] = [], path = folder) =>
    (await sections.ask({ ask: 'text', folders: [{ path, without }], query, limit: 10 })).hits
  const paths = async (query: string) => (await find(query)).map((hit) => hit.path)
  return { root, folder, file, put, sections, find, paths }
}

test('a hit is a section: its path, its headings and a piece around the word', async () => {
  const { find } = makeIndex({
    'a.md': `before\n# Ships\n## Old\n${'filler '.repeat(100)}the Vasa sank${' more'.repeat(100)}\n## New\nFerry.\n`,
    'b.md': '```\n# not a heading\n```\n',
  })
  const [hit, ...others] = await find('vasa')
  expect(others).toEqual([])
  expect(hit).toMatchObject({ path: 'a.md', heading: 'Ships > Old' })
  expect(hit!.snippet).toMatch(/^….*the Vasa sank.*…$/)
  expect(hit!.snippet.length).toBeLessThan(310)
  expect(await find('heading')).toMatchObject([{ path: 'b.md', heading: '' }])
  expect(await find('new')).toMatchObject([{ heading: 'Ships > New', snippet: 'Ferry.' }])
})

test('sections with every word come first, then those with some; headings count for more', async () => {
  const { paths } = makeIndex({
    'both.md': 'tea and a long tail of other words, then cake at the end of it all',
    'tea.md': '# Tea\nTea tea tea.',
    'cake.md': 'Some cake, once.',
    'none.md': 'Soup.',
  })
  expect(await paths('tea cake')).toEqual(['both.md', 'tea.md', 'cake.md'])
  expect(await paths('cakes')).toContain('cake.md')
})

test('a query is words and nothing else: quotes, operators and signs in it mean nothing', async () => {
  const { find } = makeIndex({ 'tea.md': 'tea' })
  const queries = [
    '"',
    '""" OR *',
    'tea" OR "1',
    'NEAR(tea, 2)',
    'body:tea',
    '{body} : tea',
    'tea*',
    '^tea',
    '-tea',
    '(tea',
    "'; drop table files; --",
    '\0tea',
    '\ud800 tea',
    '😀',
    '   ',
    'a'.repeat(1000),
    'AND OR NOT',
  ]
  for (const query of queries) expect([query, (await find(query)).length]).toEqual([query, /tea/.test(query) ? 1 : 0])
})

test('words of scripts without spaces are found inside longer text, and accents need not be typed', async () => {
  const { paths } = makeIndex({
    'zh.md': '我们使用数据库来存储记忆。',
    'ja.md': 'データベースを使います',
    'fr.md': 'Le café est fermé.',
  })
  expect(await paths('数据库')).toEqual(['zh.md'])
  expect(await paths('据数')).toEqual([])
  expect(await paths('データ')).toEqual(['ja.md'])
  expect(await paths('cafe ferme')).toEqual(['fr.md'])
})

test('the index follows the files: edited, added, renamed and removed by hand, also when a stamp was put back', async () => {
  const { folder, put, paths } = makeIndex({ 'a.md': 'apple', 'b.md': 'berry' })
  expect(await paths('apple')).toEqual(['a.md'])
  put('a.md', 'melon')
  put('deep/er/c.md', 'cherry')
  expect(await paths('melon cherry')).toEqual(expect.arrayContaining(['a.md', 'deep/er/c.md']))
  expect(await paths('apple')).toEqual([])
  const { atime, mtime } = statSync(join(folder, 'b.md'))
  put('b.md', 'bread')
  utimesSync(join(folder, 'b.md'), atime, mtime)
  expect(await paths('bread')).toEqual(['b.md'])
  renameSync(join(folder, 'b.md'), join(folder, 'd.md'))
  expect(await paths('bread')).toEqual(['d.md'])
  rmSync(join(folder, 'deep'), { recursive: true })
  expect(await paths('cherry')).toEqual([])
})

test('an index that is missing, damaged, cut or of another program is made anew', async () => {
  const { file, paths, put, sections } = makeIndex({ 'a.md': 'apple' })
  expect(await paths('apple')).toEqual(['a.md'])
  for (const part of ['', '-wal', '-shm']) rmSync(`${file}${part}`, { force: true })
  put('b.md', 'apple')
  expect((await paths('apple')).toSorted()).toEqual(['a.md', 'b.md'])
  await sections.close()
  writeFileSync(file, 'this is no database, and has never been one'.repeat(100))
  expect((await paths('apple')).toSorted()).toEqual(['a.md', 'b.md'])
  await sections.close()
  truncateSync(file, 5000)
  expect((await paths('apple')).toSorted()).toEqual(['a.md', 'b.md'])
})

test('links, pipes and other folders are not read, nor what belongs to somebody else', async () => {
  const { root, folder, find, put } = makeIndex({
    'agents/ann/MEMORY.md': 'secret apple',
    'notes.txt': 'apple',
    '.hidden.md': 'apple',
  })
  putFile(join(root, 'elsewhere', 'x.md'), 'outside apple')
  symlinkSync(join(root, 'elsewhere', 'x.md'), join(folder, 'link.md'))
  symlinkSync(join(root, 'elsewhere'), join(folder, 'linked'))
  symlinkSync(folder, join(folder, 'again'))
  expect(await find('apple', ['agents'])).toEqual([])
  put('own.md', 'apple')
  expect(await find('apple', ['agents'])).toMatchObject([{ path: 'own.md' }])
  symlinkSync(folder, join(root, 'alias'))
  expect(await find('apple', [], join(root, 'alias'))).toEqual([])
  expect(await find('apple', [], join(root, 'missing'))).toEqual([])
})

test('a search sees its own folders only', async () => {
  const { root, find, sections, folder } = makeIndex({ 'a.md': 'apple pie' })
  putFile(join(root, 'other', 'b.md'), 'apple tart')
  expect(await find('apple', [], join(root, 'other'))).toMatchObject([{ path: 'b.md' }])
  expect(await find('apple')).toMatchObject([{ path: 'a.md' }])
  const folders = [folder, join(root, 'other')].map((path) => ({ path, without: [] }))
  const { hits } = await sections.ask({ ask: 'text', folders, query: 'apple', limit: 10 })
  expect(hits.map(({ path }) => path).toSorted()).toEqual(['a.md', 'b.md'])
})

test('a huge file is read up to a limit, and a section of one long line in pieces', async () => {
  const { find } = makeIndex({
    'big.md': `# Head\nneedle ${'x'.repeat(10_000)} thread\n${'hay '.repeat(500_000)}\ntail`,
  })
  expect(await find('needle')).toMatchObject([{ path: 'big.md', heading: 'Head' }])
  expect(await find('thread')).toHaveLength(1)
  expect(await find('tail')).toEqual([])
})

test('vectors are kept by text, and the nearest are found', async () => {
  const { sections, folder, find, put } = makeIndex({ 'a.md': 'north', 'b.md': 'east' })
  const folders = [{ path: folder, without: [] }]
  const missing = async () => (await sections.ask({ ask: 'missing', folders, model: 'm', limit: 10 })).missing
  await find('north')
  const before = await missing()
  expect(before.map(({ text }) => text).toSorted()).toEqual(['east', 'north'])
  const vectors: Record<string, number[]> = { north: [0, 9], east: [5, 0] }
  const items = before.map(({ digest, text }) => ({ digest, vector: Float32Array.from(vectors[text]!) }))
  await sections.ask({ ask: 'keep', model: 'm', items })
  expect(await missing()).toEqual([])
  const near = { ask: 'nearest', folders, model: 'm', query: '', limit: 1 } as const
  const { hits } = await sections.ask({ ...near, vector: Float32Array.from([1, 7]) })
  expect(hits).toMatchObject([{ path: 'a.md' }])
  put('c.md', 'north')
  await find('north')
  expect(await missing()).toEqual([])
})
