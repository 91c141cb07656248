import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, putFile } from '../../../test/kit/files.ts'
import { makeToolPlace } from '../../../test/kit/tool-place.ts'
import { createWorld } from '../../../test/kit/world.ts'
import { sha256 } from '../../lib/files/files.ts'
import { createMask } from '../../lib/mask.ts'
import { memoryPath } from './paths.ts'
import { memoryScope } from './scopes.ts'
import { outcomeOf, textAfter } from './text.ts'
import { writeMemory } from './write.ts'

const appender = new URL('../../../test/kit/appender.ts', import.meta.url).pathname

test('two processes that append to one folder lose no line and cut none, in any order of their steps', async () => {
  const root = makeFolder()
  const [home, shared, lines] = [join(root, 'home'), join(root, 'shared'), 30]
  for (const folder of [home, shared]) mkdirSync(folder)
  const names = ['ann', 'ben']
  const codes = await Promise.all(
    names.map(async (name) => {
      const question = JSON.stringify({ home, shared, name, lines })
      const child = spawn(process.execPath, [appender, question], { stdio: ['ignore', 'ignore', 'inherit'] })
      return (await once(child, 'exit'))[0]
    }),
  )
  expect(codes).toEqual([0, 0])
  const text = (file: string) =>
    readFileSync(join(shared, 'memory', file), 'utf8')
      .trimEnd()
      .split('\n')
  const written = [...text('MEMORY.md'), ...text('other.md')]
  const expected = names.flatMap((name) => Array.from({ length: lines }, (_, line) => `${name} ${line}`))
  expect(written.toSorted()).toEqual(expected.toSorted())
  for (const name of names) {
    const own = text('MEMORY.md').filter((line) => line.startsWith(name))
    expect(own).toEqual(own.toSorted((a, b) => Number(a.split(' ')[1]) - Number(b.split(' ')[1])))
  }
})

test('what became of a write that was cut off is read from the file, whatever others wrote before and after', () => {
  const before = Buffer.from('one\n')
  const after = textAfter(before, { path: 'a.md', content: 'two', mode: 'append' })!
  const row = {
    ...{ id: 'call_1', root: 'p', path: 'a.md', done: 0, at: 0 },
    ...{ before_digest: sha256(before), before_bytes: before.length },
    ...{ after_digest: sha256(after), after_bytes: after.length },
  }
  const outcome = (text: string | undefined, mode: 'append' | 'replace' = 'append') =>
    outcomeOf(row, text === undefined ? undefined : Buffer.from(text), mode)
  expect(outcome('one\n')).toBe('not')
  expect(outcome('one\ntwo\n')).toBe('done')
  expect(outcome('one\ntwo\nthree\n')).toBe('done')
  expect(outcome('one\nthree\n')).toBe('not')
  expect(outcome('rewritten\n')).toBe('unclear')
  expect(outcome(undefined)).toBe('unclear')
  expect(outcome('rewritten\n', 'replace')).toBe('not')
  expect(outcomeOf({ ...row, before_digest: '', before_bytes: 0 }, undefined, 'append')).toBe('not')
  expect(textAfter(Buffer.from('no newline'), { path: '', content: 'x', mode: 'append' })!.toString()).toBe(
    'no newline\nx\n',
  )
})

const hostile = [
  ...['../MEMORY.md', '/etc/passwd.md', 'a/../../b.md', '.lock', '.hidden.md', 'a/.b/c.md', 'a', 'a.txt', ''],
  ...[
    'a\0.md',
    'a\nb.md',
    'a"b.md',
    '<x>.md',
    '~/a.md',
    'C:\\a.md',
    'a//b.md',
    'a/b/c/d/e/f/g.md',
    `${'x'.repeat(250)}.md`,
  ],
]

test('a path that leads out of the folder, or has odd signs, is refused before anything is touched', () => {
  for (const path of hostile)
    expect(() => memoryPath({ without: [] }, path, 0), path).toThrow('is no path of a memory file')
  const project = { without: ['agents'] }
  for (const path of ['agents/ann/MEMORY.md', 'Agents/ann/x.md', 'ＡＧＥＮＴＳ/a.md'])
    expect(() => memoryPath(project, path, 0), path).toThrow('belongs to an agent')
  expect(memoryPath(project, 'knowledge/Zürich (neu).md', 0)).toBe('knowledge/Zürich (neu).md')
  expect(memoryPath(project, 'today', Date.UTC(2030, 0, 2))).toBe('2030-01-02.md')
})

const write = (input: object) => ({ scope: 'user', ...input })

test('links are not followed, wherever they are, and stay as they are', async () => {
  const place = makeToolPlace()
  const memory = join(place.home, 'memory')
  mkdirSync(memory)
  const outside = place.putOutside('x.md', 'outside\n')
  symlinkSync(outside, join(memory, 'link.md'))
  symlinkSync(place.outside, join(memory, 'folder'))
  symlinkSync(join(memory, 'real.md'), join(memory, 'inner.md'))
  await place.call('memory_write', write({ content: 'real', path: 'real.md' }))
  for (const path of ['link.md', 'folder/x.md', 'inner.md']) {
    for (const tool of ['memory_write', 'memory_read'])
      expect(
        await place.call(tool, { scope: 'user', path, ...(tool === 'memory_write' && { content: 'x' }) }),
      ).toMatchObject({
        error: true,
        output: expect.stringContaining('cannot be used'),
      })
  }
  expect(readFileSync(outside, 'utf8')).toBe('outside\n')
  expect(readFileSync(join(memory, 'real.md'), 'utf8')).toBe('real\n')

  const other = makeToolPlace()
  symlinkSync(other.outside, join(other.home, 'memory'))
  expect((await other.call('memory_write', write({ content: 'x' }))).output).toContain('reached by a link')
  expect(existsSync(join(other.outside, 'MEMORY.md'))).toBe(false)
})

test('a file that is not there is told with those that are', async () => {
  const place = makeToolPlace()
  const read = async () => (await place.call('memory_read', { scope: 'user', path: 'b.md' })).output
  expect(await read()).toBe('There is no user/b.md. Nothing is remembered there yet.')
  await place.call('memory_write', write({ content: 'x', path: 'a.md' }))
  expect(await read()).toBe('There is no user/b.md. There is: a.md.')
})

test('a write that was cut off is made once; where the file was rewritten since, nothing is written and it is said', async () => {
  const world = await createWorld()
  const { core } = world.server
  const change = { path: 'a.md', content: 'two', mode: 'append' } as const
  const file = join(world.home, 'memory', 'a.md')
  const again = async (text: string) => {
    putFile(file, text)
    await core.store.write((db) => db.updateTable('memory_writes').set({ done: 0 }).execute())
    return writeMemory(core, core.project, memoryScope(core, core.project, 'user'), change, { id: 'call_1' })
  }
  await again('one\n')
  const whole = readFileSync(file, 'utf8')
  expect(whole).toBe('one\ntwo\n')
  expect(await again(`${whole}three\n`)).toMatchObject({ path: 'a.md', bytes: whole.length })
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n')
  await expect(again('rewritten\n')).rejects.toMatchObject({ code: 'memory.conflict' })
  expect(readFileSync(file, 'utf8')).toBe('rewritten\n')
})

test('sizes have limits that say what to do', async () => {
  const place = makeToolPlace()
  const content = 'x'.repeat(60_000)
  for (let at = 0; at < 4; at++) await place.call('memory_write', write({ content }))
  expect((await place.call('memory_write', write({ content }))).output).toMatch(
    /262144 at most\. Replace it with a shorter text/,
  )
  expect((await place.call('memory_write', write({ content: 'x'.repeat(70_000) }))).error).toBe(true)
  const read = (await place.call('memory_read', { scope: 'user' })).output
  expect(read.length).toBeLessThan(51_000)
  expect(read).toMatch(/more characters; memory_search finds/)
  putFile(join(place.home, 'memory', 'huge.md'), 'y'.repeat(5_000_000))
  expect((await place.call('memory_read', { scope: 'user', path: 'huge.md' })).output).toContain('more than the limit')
})

test('the logs of today and yesterday only grow; older ones may be replaced', async () => {
  const now = Date.UTC(1970, 0, 1, 0, 16, 40)
  const place = makeToolPlace()
  const replace = async (path: string) => {
    const wrote = (await place.call('memory_write', write({ content: 'x', path }))).output
    const hash = /hash ([0-9a-f]+)/.exec(wrote)?.[1]
    return (await place.call('memory_write', write({ content: 'y', path, mode: 'replace', hash }))).output
  }
  expect(new Date(now).toISOString().slice(0, 10)).toBe('1970-01-01')
  expect(await replace('1970-01-01.md')).toContain('only appended to')
  expect(await replace('1969-12-31.md')).toContain('only appended to')
  expect(await replace('1969-12-30.md')).toContain('has 2 bytes now')
})

test('a secret in what an agent writes stays out of the file, and a mask never takes the place of a secret', async () => {
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789'
  const place = makeToolPlace({ mask: createMask(() => []) })
  await place.call('memory_write', write({ content: `The key is ${secret}.` }))
  const file = join(place.home, 'memory', 'MEMORY.md')
  expect(readFileSync(file, 'utf8')).toBe('The key is [secret].\n')
  putFile(file, `Kept by hand: ${secret}\n`)
  const hash = sha256(readFileSync(file)).slice(0, 16)
  const over = write({ content: 'Kept by hand: [secret]\nMore.', mode: 'replace', hash })
  expect((await place.call('memory_write', over)).output).toContain('something that you are not shown')
  expect(readFileSync(file, 'utf8')).toContain(secret)
})
