import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasRipgrep, makeToolPlace, type ToolPlace } from '../../../test/kit/tool-place.ts'

const CANARY = 'canary-5d1f'

/** Each leads from the workspace to a file with the canary in it, or to a folder that holds one. */
const escapes: Record<string, (place: ToolPlace) => { file: string; folder: string }> = {
  dots: () => ({ file: '../elsewhere/secret.txt', folder: '../elsewhere' }),
  'dots after a folder': (place) => {
    mkdirSync(join(place.workspace, 'sub'))
    return { file: 'sub/../../elsewhere/secret.txt', folder: 'sub/../../elsewhere' }
  },
  'an absolute path': ({ outside }) => ({ file: join(outside, 'secret.txt'), folder: outside }),
  'a sibling with the same prefix': (place) => {
    place.put('../work-secrets/secret.txt', CANARY)
    return { file: '../work-secrets/secret.txt', folder: `${place.workspace}-secrets` }
  },
  'links to a file and to a folder': ({ workspace, outside }) => {
    symlinkSync(join(outside, 'secret.txt'), join(workspace, 'file'))
    symlinkSync(outside, join(workspace, 'folder'))
    return { file: 'file', folder: 'folder' }
  },
  'a path through a link to a folder': ({ workspace, outside }) => {
    mkdirSync(join(outside, 'deep'))
    symlinkSync(join(outside, '..'), join(workspace, 'up'))
    return { file: 'up/elsewhere/secret.txt', folder: 'up/elsewhere' }
  },
  'a chain of links': ({ workspace, outside }) => {
    symlinkSync(join(outside, 'secret.txt'), join(workspace, 'file1'))
    symlinkSync(outside, join(workspace, 'folder1'))
    for (const [from, to] of [
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 5],
    ]) {
      symlinkSync(`file${from}`, join(workspace, `file${to}`))
      symlinkSync(`folder${from}`, join(workspace, `folder${to}`))
    }
    return { file: 'file5', folder: 'folder5' }
  },
}

/** Paths that do harm to whoever follows them. */
const traps: Record<string, (place: ToolPlace) => string> = {
  'a NUL in the path': () => 'a\0/../../elsewhere/secret.txt',
  'an over-long name': () => 'x'.repeat(300),
  'an over-long path': () => 'ab/'.repeat(2000),
  'a pipe': ({ workspace }) => {
    execFileSync('mkfifo', [join(workspace, 'pipe')])
    return 'pipe'
  },
  'a device': () => '/dev/zero',
  'links in a circle': ({ workspace }) => {
    symlinkSync('b', join(workspace, 'a'))
    symlinkSync('a', join(workspace, 'b'))
    return 'a'
  },
}

interface Case {
  readonly tool?: string
  readonly takes: 'file' | 'folder'
  readonly env?: Record<string, string>
  input(path: string): unknown
}

const searchText = (path: string) => ({ path, pattern: 'canary', include_ignored: true })

const tools: Record<string, Case> = {
  read_file: { takes: 'file', input: (path) => ({ path }) },
  write_file: { takes: 'file', input: (path) => ({ path, content: 'overwritten' }) },
  edit_file: { takes: 'file', input: (path) => ({ path, old_string: CANARY, new_string: 'overwritten' }) },
  list_dir: { takes: 'folder', input: (path) => ({ path, include_ignored: true }) },
  glob: { takes: 'folder', input: (path) => ({ path, pattern: '**', include_ignored: true }) },
  grep: { takes: 'folder', env: { PATH: '' }, input: searchText },
  ...(hasRipgrep && { 'grep by ripgrep': { tool: 'grep', takes: 'folder', input: searchText } }),
}

describe.each(Object.entries(tools))('%s', (title, tool) => {
  const name = tool.tool ?? title

  test.each(Object.keys(escapes))('does not get out of the workspace by %s', async (way) => {
    const place = makeToolPlace(tool)
    const secret = place.putOutside('secret.txt', CANARY)
    const result = await place.call(name, tool.input(escapes[way]!(place)[tool.takes]))
    expect(result.error).toBe(true)
    expect(result.output).toContain('outside the workspace')
    expect(result.output).not.toContain(CANARY)
    expect(readFileSync(secret, 'utf8')).toBe(CANARY)
    expect(readdirSync(place.outside).filter((entry) => entry !== 'deep')).toEqual(['secret.txt'])
  })

  test.each(Object.keys(traps))('refuses %s', async (trap) => {
    const place = makeToolPlace(tool)
    place.putOutside('secret.txt', CANARY)
    const result = await place.call(name, tool.input(traps[trap]!(place)))
    expect(result.error).toBe(true)
    expect(result.output).not.toContain(CANARY)
  })

  test('takes percent signs as they are', async () => {
    const place = makeToolPlace(tool)
    const secret = place.putOutside('secret.txt', CANARY)
    const path = { file: '%2e%2e/elsewhere/secret.txt', folder: '%2e%2e/elsewhere' }[tool.takes]
    const result = await place.call(name, tool.input(path))
    expect(result.output).not.toContain(CANARY)
    expect(readFileSync(secret, 'utf8')).toBe(CANARY)
  })

  test('does not reach the data folder, even inside the workspace', async () => {
    const place = makeToolPlace({ ...tool, home: 'work/.data' })
    const secret = place.put('.data/secret.txt', CANARY)
    const path = { file: '.data/secret.txt', folder: '.data' }[tool.takes]
    const result = await place.call(name, tool.input(path))
    expect(result.error).toBe(true)
    expect(result.output).not.toContain(CANARY)
    expect(readFileSync(secret, 'utf8')).toBe(CANARY)
  })
})

const searches = Object.entries(tools).filter(([, { takes }]) => takes === 'folder')

describe.each(searches)('%s of the whole workspace', (title, tool) => {
  test('does not follow links out of it nor enter the data folder', async () => {
    const place = makeToolPlace({ ...tool, home: 'work/.data' })
    place.put('.data/secret-one.txt', CANARY)
    place.putOutside('secret-two.txt', CANARY)
    symlinkSync(place.outside, join(place.workspace, 'folder'))
    symlinkSync(join(place.outside, 'secret-two.txt'), join(place.workspace, 'file'))
    execFileSync('mkfifo', [join(place.workspace, 'pipe')])
    place.put('.gitignore', 'nothing')
    const result = await place.call(tool.tool ?? title, tool.input('.'))
    expect(result.error).toBeUndefined()
    expect(result.output).not.toContain(CANARY)
    expect(result.output).not.toContain('secret-')
  })
})

test('a pattern with dots does not get out of the folder', async () => {
  const place = makeToolPlace()
  place.putOutside('secret.txt', CANARY)
  for (const pattern of ['../elsewhere/*', '{a,../elsewhere}/*', join(place.outside, '*')]) {
    const result = await place.call('glob', { pattern })
    expect(result).toMatchObject({ error: true, output: expect.stringContaining('leads out') })
  }
})

test.each(['write_file', 'edit_file'])('%s leaves a file with another name elsewhere alone', async (name) => {
  const place = makeToolPlace()
  const secret = place.putOutside('secret.txt', CANARY)
  linkSync(secret, join(place.workspace, 'linked.txt'))
  await place.call('read_file', { path: 'linked.txt' })
  const result = await place.call(name, tools[name]!.input('linked.txt'))
  expect(result).toMatchObject({ error: true, output: expect.stringContaining('hard links') })
  expect(readFileSync(secret, 'utf8')).toBe(CANARY)
})

test('write_file does not make the missing target of a link', async () => {
  const place = makeToolPlace()
  symlinkSync(join(place.outside, 'new.txt'), join(place.workspace, 'dangling'))
  const result = await place.call('write_file', { path: 'dangling', content: 'x' })
  expect(result).toMatchObject({ error: true, output: expect.stringContaining('link to nothing') })
  expect(readdirSync(place.outside)).toEqual([])
})
