import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasRipgrep, makeToolPlace, type ToolPlace } from '../../../test/kit/tool-place.ts'

function fill(place: ToolPlace): void {
  place.put('.gitignore', 'dist/\n*.log\n!keep.log\n')
  place.put('src/one.ts', 'export const one = 1\n// needle here\n')
  place.put('src/two.TS', 'Needle\n')
  place.put('src/deep/three.ts', 'no\nneedle\n')
  place.put('src/deep/.gitignore', 'three.md\n')
  place.put('src/deep/three.md', 'needle\n')
  place.put('dist/out.ts', 'needle\n')
  place.put('run.log', 'needle\n')
  place.put('keep.log', 'needle\n')
  place.put('.git/config', 'needle\n')
  place.put('binary', Buffer.from('needle\0\n'))
}

test('what a rule keeps from the session is left out of every search', async () => {
  const place = makeToolPlace()
  fill(place)
  const hidden = [join(place.workspace, 'src/deep'), join(place.workspace, 'keep.log')]
  const found = await place.call('grep', { pattern: 'needle' }, { hidden })
  expect(found.output).toContain('src/one.ts:2')
  expect(found.output).not.toMatch(/keep\.log|three/)
  expect((await place.call('glob', { pattern: '**/*' }, { hidden })).output).not.toMatch(/keep\.log|three/)
  expect((await place.call('list_dir', { path: 'src' }, { hidden })).output).toBe('one.ts (36 bytes)\ntwo.TS (7 bytes)')
})

test.each([true, false].filter((rg) => !rg || hasRipgrep))(
  'a name that is no line of text is shown, listed and searched (ripgrep: %s)',
  async (rg) => {
    const place = makeToolPlace(rg ? {} : { env: { PATH: '' } })
    const names = [Buffer.from('two\nlines'), Buffer.from([0x62, 0xff, 0x64]), Buffer.from('plain')]
    for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${place.workspace}/`), name]), 'needle\n')
    const shown = ['"b\ufffdd"', 'plain', '"two\\nlines"']
    const lines = async (tool: string, input: object) =>
      String((await place.call(tool, input)).output)
        .split('\n')
        .sort()
    expect(await lines('list_dir', {})).toEqual(shown.map((name) => `${name} (7 bytes)`).sort())
    expect(await lines('glob', { pattern: '*' })).toEqual([...shown].sort())
    expect(await lines('grep', { pattern: 'needle' })).toEqual(shown.map((name) => `${name}:1: needle`).sort())
    expect((await place.call('read_file', { path: JSON.parse('"two\\nlines"') })).output).toContain('needle')
  },
)

describe('list_dir', () => {
  test('lists a folder, with what is ignored only when asked for', async () => {
    const place = makeToolPlace()
    fill(place)
    expect((await place.call('list_dir', {})).output).toBe(
      '.gitignore (22 bytes)\nbinary (8 bytes)\nkeep.log (7 bytes)\nsrc/\n[2 left out by .gitignore; include_ignored shows them]',
    )
    expect((await place.call('list_dir', { include_ignored: true })).output).toContain('dist/\n')
    expect((await place.call('list_dir', { path: 'src/deep' })).output).toContain('three.ts (10 bytes)')
    expect((await place.call('list_dir', { path: 'dist' })).output).toBe('out.ts (7 bytes)')
  })

  test('says what is wrong with a file, nothing and an empty folder', async () => {
    const place = makeToolPlace()
    place.put('file', '')
    mkdirSync(join(place.workspace, 'empty'))
    expect((await place.call('list_dir', { path: 'file' })).output).toContain('is a file')
    expect((await place.call('list_dir', { path: 'none' })).output).toContain('There is nothing')
    expect((await place.call('list_dir', { path: 'empty' })).output).toBe('[The folder is empty.]')
  })
})

describe('glob', () => {
  test('finds files by pattern below a folder', async () => {
    const place = makeToolPlace()
    fill(place)
    const found = async (input: object) => (await place.call('glob', input)).output
    expect(await found({ pattern: '**/*.ts' })).toContain('src/deep/three.ts\nsrc/one.ts')
    expect(await found({ pattern: '**/*.ts' })).not.toContain('dist')
    expect(await found({ pattern: '*.ts', path: 'src' })).toContain('src/one.ts')
    expect(await found({ pattern: '**/*.md' })).toContain('[No file matches.]')
    expect(await found({ pattern: '**/*.md', include_ignored: true })).toBe('src/deep/three.md')
  })

  test('shows 200 files at most and says that there are more', async () => {
    const place = makeToolPlace()
    for (let index = 0; index < 201; index += 1) place.put(`many/${index}.txt`, '')
    const { output } = await place.call('glob', { pattern: '**/*.txt' })
    expect(output.split('\n')).toHaveLength(201)
    expect(output).toContain('only the first 200 are shown')
  })

  test('a pattern made to be slow is stopped and does not block the server', async () => {
    const place = makeToolPlace()
    place.put('a'.repeat(200), '')
    const { result, turns } = await turnsDuring(place.call('glob', { pattern: `${'*a'.repeat(30)}b` }))
    expect(result.output).toMatch(/was stopped|No file matches/)
    expect(turns).toBeGreaterThan(0)
  })
})

const engines = [['worker', { PATH: '' }] as const, ...(hasRipgrep ? [['ripgrep', {}] as const] : [])]

describe.each(engines)('grep by %s', (engine, env) => {
  test('finds lines, without what is ignored', async () => {
    const place = makeToolPlace({ env })
    fill(place)
    const { output } = await place.call('grep', { pattern: 'ne+dle' })
    expect(output.split('\n').filter((line) => !line.startsWith('['))).toEqual([
      'keep.log:1: needle',
      'src/deep/three.ts:2: needle',
      'src/one.ts:2: // needle here',
    ])
  })

  test('looks in a folder, in a file, at some names, in any case, and at what is ignored', async () => {
    const place = makeToolPlace({ env })
    fill(place)
    const found = async (input: object) =>
      (await place.call('grep', { pattern: 'needle', ...input })).output
        .split('\n')
        .filter((line) => !line.startsWith('['))
    expect(await found({ path: 'src/deep' })).toEqual(['src/deep/three.ts:2: needle'])
    expect(await found({ path: 'run.log' })).toEqual(['run.log:1: needle'])
    expect(await found({ glob: '*.log' })).toEqual(['keep.log:1: needle'])
    expect(await found({ path: 'src', ignore_case: true, glob: '*.TS' })).toEqual(['src/two.TS:1: Needle'])
    expect(await found({ include_ignored: true, glob: '*.ts' })).toContain('dist/out.ts:1: needle')
    expect(await found({ path: 'dist' })).toEqual(['dist/out.ts:1: needle'])
  })

  test('says when nothing matches and when the pattern cannot be used', async () => {
    const place = makeToolPlace({ env })
    place.put('a.txt', 'text')
    expect((await place.call('grep', { pattern: 'absent' })).output).toBe('[Nothing matches.]')
    expect(await place.call('grep', { pattern: '(' })).toMatchObject({
      error: true,
      output: expect.stringContaining('could not be made'),
    })
    expect((await place.call('grep', { pattern: '--files' })).output).toBe('[Nothing matches.]')
  })

  test('shows 200 lines at most, cuts long ones, and says so', async () => {
    const place = makeToolPlace({ env })
    place.put('many.txt', `needle ${'x'.repeat(10_000)}\n`.repeat(300))
    const { output } = await place.call('grep', { pattern: 'needle' })
    expect(output.length).toBeLessThan(31_000)
    expect(output).toContain('There are more')
  })

  test('a pattern made to be slow ends within its time and does not block the server', async () => {
    const place = makeToolPlace({ env })
    place.put('a.txt', `${'a'.repeat(50)}!\n`)
    const { result, turns } = await turnsDuring(place.call('grep', { pattern: '^(a+)+$' }))
    if (engine === 'worker')
      expect(result).toMatchObject({ error: true, output: expect.stringContaining('was stopped') })
    else expect(result.output).toBe('[Nothing matches.]')
    expect(turns).toBeGreaterThan(0)
  })
})

/** How often this thread could do something else during the work. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 10)
  const result = await work
  clearInterval(timer)
  return { result, turns }
}
