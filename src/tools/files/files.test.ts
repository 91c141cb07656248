import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeToolPlace } from '../../../test/kit/tool-place.ts'
import { hex } from '../../lib/ids.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

describe('read_file', () => {
  test('gives the lines with their numbers', async () => {
    const place = makeToolPlace()
    place.put('a.txt', 'one\r\ntwo\n\nfour\n')
    expect(await place.call('read_file', { path: 'a.txt' })).toEqual({ output: '1\tone\n2\ttwo\n3\t\n4\tfour' })
  })

  test('reads a part and says where to read on', async () => {
    const place = makeToolPlace()
    place.put('a.txt', Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join(''))
    const { output } = await place.call('read_file', { path: 'a.txt', offset: 3, limit: 2 })
    expect(output).toBe('3\tline 3\n4\tline 4\n[Lines 3 to 4 of 10; read on with offset 5.]')
    const end = await place.call('read_file', { path: 'a.txt', offset: 11 })
    expect(end.output).toBe('[The file has 10 lines; there is no line 11.]')
  })

  test('keeps a long file and a long line within its bound, and says so', async () => {
    const place = makeToolPlace()
    place.put('long.txt', `${'x'.repeat(5000)}\n${'y'.repeat(99)}\n`.repeat(500))
    const { output } = await place.call('read_file', { path: 'long.txt' })
    expect(output.length).toBeLessThan(51_000)
    expect(output).toContain('[… 3000 characters cut from this line]')
    expect(output).toMatch(/\[Lines 1 to \d+ of 1000; read on with offset \d+\.\]$/)
  })

  test('attaches images and documents by what they are, not by their name', async () => {
    const place = makeToolPlace()
    place.put('picture.txt', PNG)
    place.put('paper', '%PDF-1.7\n')
    const picture = await place.call('read_file', { path: 'picture.txt' })
    expect(picture.files).toEqual([
      { type: 'file', mediaType: 'image/png', name: 'picture.txt', data: PNG.toString('base64') },
    ])
    expect(picture.output).toContain('image/png')
    expect((await place.call('read_file', { path: 'paper' })).files?.[0]?.mediaType).toBe('application/pdf')
  })

  test('refuses an image beyond 5 MB, a binary file, a folder and nothing, each with a sentence', async () => {
    const place = makeToolPlace()
    place.put('big.png', Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]))
    place.put('program', Buffer.from([0x7f, 0x45, 0, 0, 1]))
    place.put('folder/file', '')
    const said = async (path: string) => (await place.call('read_file', { path })).output
    expect(await said('big.png')).toContain('images and documents up to')
    expect(await said('program')).toContain('is a binary file')
    expect(await said('folder')).toContain('is a folder')
    expect(await said('nothing.txt')).toContain('There is nothing at "nothing.txt"')
    expect(await said('folder/file')).toBe('[The file is empty.]')
  })

  test('refuses a file beyond its limit without reading it', async () => {
    const place = makeToolPlace()
    place.put('huge.log', Buffer.alloc(10 * 1024 * 1024 + 1, 'x'))
    expect(await place.call('read_file', { path: 'huge.log' })).toMatchObject({
      error: true,
      output: expect.stringContaining('more than the limit'),
    })
  })

  test('refuses fields it does not have', async () => {
    const place = makeToolPlace()
    const result = await place.call('read_file', { path: 'a.txt', encoding: 'utf8' })
    expect(result).toMatchObject({ error: true, output: expect.stringContaining('encoding') })
  })
})

describe('write_file', () => {
  test('writes a new file in a new folder, readable by others, and leaves nothing else there', async () => {
    const place = makeToolPlace()
    const result = await place.call('write_file', { path: 'deep/er/a.txt', content: 'häß' })
    expect(result).toEqual({ output: 'Wrote 5 bytes to deep/er/a.txt.' })
    const file = join(place.workspace, 'deep/er/a.txt')
    expect(readFileSync(file, 'utf8')).toBe('häß')
    expect(statSync(file).mode & 0o777).toBe(0o644)
    expect(readdirSync(join(place.workspace, 'deep/er'))).toEqual(['a.txt'])
  })

  test('keeps the mode of a file that is there, and takes its absolute path too', async () => {
    const place = makeToolPlace()
    const file = place.put('run.sh', 'old')
    chmodSync(file, 0o755)
    await place.call('write_file', { path: file, content: 'new' })
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(statSync(file).mode & 0o777).toBe(0o755)
  })

  test('does not put what stands for a secret over the secret, and a new file may say anything', async () => {
    const place = makeToolPlace()
    const file = place.put('config.json', '{"key":"abc"}')
    const written = await place.call('write_file', { path: 'config.json', content: '{"key":"[secret]"}' })
    expect(written).toMatchObject({ error: true, output: expect.stringContaining('not shown') })
    await place.call('read_file', { path: 'config.json' })
    const edited = await place.call('edit_file', { path: 'config.json', old_string: 'abc', new_string: '[secret]' })
    expect(edited).toMatchObject({ error: true, output: expect.stringContaining('not shown') })
    expect(readFileSync(file, 'utf8')).toBe('{"key":"abc"}')
    expect((await place.call('write_file', { path: 'notes.md', content: 'It says [secret].' })).error).toBeUndefined()
    expect((await place.call('write_file', { path: 'notes.md', content: '[secret]' })).error).toBeUndefined()
  })

  test('does not write over a folder or below a file', async () => {
    const place = makeToolPlace()
    place.put('folder/file', 'x')
    expect((await place.call('write_file', { path: 'folder', content: '' })).output).toContain('is a folder')
    expect((await place.call('write_file', { path: '.', content: '' })).output).toContain('is a folder')
    expect((await place.call('write_file', { path: 'folder/file/below', content: '' })).error).toBe(true)
  })
})

describe('edit_file', () => {
  test('replaces the one occurrence, and can go on without reading again', async () => {
    const place = makeToolPlace()
    const file = place.put('a.ts', 'const a = 1\nconst b = $1\n')
    await place.call('read_file', { path: 'a.ts' })
    const result = await place.call('edit_file', { path: 'a.ts', old_string: 'a = 1', new_string: "a = '$&'" })
    expect(result).toEqual({ output: 'Replaced one occurrence in a.ts.' })
    await place.call('edit_file', { path: 'a.ts', old_string: '$1', new_string: '2' })
    expect(readFileSync(file, 'utf8')).toBe("const a = '$&'\nconst b = 2\n")
  })

  test('refuses text that occurs never or several times, unless all are wanted', async () => {
    const place = makeToolPlace()
    const file = place.put('a.txt', 'x y x')
    await place.call('read_file', { path: 'a.txt' })
    const edit = async (more: object) =>
      (await place.call('edit_file', { path: 'a.txt', new_string: 'z', ...more })).output
    expect(await edit({ old_string: 'q' })).toContain('does not occur')
    expect(await edit({ old_string: 'x' })).toContain('occurs 2 times')
    expect(readFileSync(file, 'utf8')).toBe('x y x')
    expect(await edit({ old_string: 'x', replace_all: true })).toContain('2 occurrences')
    expect(readFileSync(file, 'utf8')).toBe('z y z')
  })

  test('refuses a file that was not read, or that changed since, until it is read again', async () => {
    const place = makeToolPlace()
    const file = place.put('a.txt', 'one')
    const edit = () => place.call('edit_file', { path: 'a.txt', old_string: 'o', new_string: '0' })
    expect((await edit()).output).toContain('has not been read in this session')
    await place.call('read_file', { path: 'a.txt' })
    writeFileSync(file, 'two')
    expect(await edit()).toMatchObject({
      error: true,
      output: expect.stringContaining('has changed since it was read'),
    })
    expect(readFileSync(file, 'utf8')).toBe('two')
    await place.call('read_file', { path: 'a.txt' })
    expect((await edit()).error).toBeUndefined()
    expect(readFileSync(file, 'utf8')).toBe('tw0')
  })

  test('what another session read does not count', async () => {
    const place = makeToolPlace()
    place.put('a.txt', 'one')
    await place.call('read_file', { path: 'a.txt' }, { sessionId: hex() })
    const result = await place.call('edit_file', { path: 'a.txt', old_string: 'o', new_string: '0' })
    expect(result.output).toContain('has not been read in this session')
  })

  test('two sessions that edit at once do not lose an edit', async () => {
    const place = makeToolPlace()
    const file = place.put('a.txt', 'left right')
    const [one, two] = [{ sessionId: hex() }, { sessionId: hex() }]
    for (const session of [one, two]) await place.call('read_file', { path: 'a.txt' }, session)
    const results = await Promise.all([
      place.call('edit_file', { path: 'a.txt', old_string: 'left', new_string: 'LEFT' }, one),
      place.call('edit_file', { path: 'a.txt', old_string: 'right', new_string: 'RIGHT' }, two),
    ])
    expect(results.map(({ error }) => error ?? false).sort()).toEqual([false, true])
    expect(['LEFT right', 'left RIGHT']).toContain(readFileSync(file, 'utf8'))
  })

  test('keeps Windows line ends and refuses what is not UTF-8', async () => {
    const place = makeToolPlace()
    const file = place.put('a.txt', 'one\r\ntwo\r\n')
    const latin = place.put('latin.txt', Buffer.from([0x66, 0xfc, 0x72, 0x0a]))
    await place.call('read_file', { path: 'a.txt' })
    await place.call('read_file', { path: 'latin.txt' })
    await place.call('edit_file', { path: 'a.txt', old_string: 'one\ntwo', new_string: 'three\nfour' })
    expect(readFileSync(file, 'utf8')).toBe('three\r\nfour\r\n')
    const result = await place.call('edit_file', { path: 'latin.txt', old_string: 'r', new_string: 'x' })
    expect(result).toMatchObject({ error: true, output: expect.stringContaining('not UTF-8') })
    expect(readFileSync(latin).length).toBe(4)
  })
})
