import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { watchedIn } from '../../src/core/permissions/index.ts'
import { listAsides, retireAside } from '../../src/lib/sandbox/aside.ts'
import type { Box } from '../../src/lib/sandbox/box.ts'
import { type Aftermath, enclose, sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { sweepWatched } from '../../src/lib/sandbox/watch.ts'
import { makeCell } from '../kit/cell.ts'
import { putFile } from '../kit/files.ts'
import { makeToolPlace, type ToolPlace } from '../kit/tool-place.ts'

const works = sandboxSupport(process.env).program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env).why}`)

type Place = Pick<ToolPlace, 'workspace'>

const env = { PATH: process.env.PATH }

/** What is found when a command ends that ran while others wrote in its folder. */
const during = async (place: ToolPlace, more: Partial<Box>) => {
  const { workspace, home } = place
  const box = { ...makeCell().box, workspace, home, ...watchedIn(place), ...more }
  return { box, end: (await enclose(['true'], box, env)).release }
}

const changed = ({ aside }: Aftermath, { workspace }: Place) =>
  aside?.changes.map(({ path, before }) => [path.slice(workspace.length + 1), before?.kind]) ?? []

const textAt = ({ workspace }: Place, path: string) =>
  existsSync(join(workspace, path)) ? readFileSync(join(workspace, path), 'utf8') : undefined

/** As editors do it. */
function replace({ workspace }: Place, path: string, text: string): void {
  writeFileSync(join(workspace, 'new'), text)
  renameSync(join(workspace, 'new'), join(workspace, path))
}

test.runIf(works).each([
  ['in the foreground', { lasting: false }],
  ['in the background', { lasting: true }],
])('what our own tools write while a command runs %s stays, and only the rest is put aside', async (_, more) => {
  const place = makeToolPlace()
  place.put('.env', 'A=1\n')
  place.put('.claude/old.md', 'old')
  place.put('.troupe/agents/old.md', 'old')
  const { end } = await during(place, more)
  const written = [
    '.env',
    '.mcp.json',
    '.claude/skills/a.md',
    '.agents/deep/b.md',
    '.troupe/agents/new.md',
    'plain.txt',
  ]
  for (const path of written) await place.call('write_file', { path, content: 'ours\n' })
  await place.call('read_file', { path: '.env' })
  await place.call('edit_file', { path: '.env', old_string: 'ours', new_string: 'ours too' })
  place.put('.agents/deep/planted.md', 'planted')
  place.put('sub/.envrc', 'planted')
  writeFileSync(join(place.workspace, 'plain.txt'), 'changed')
  expect(changed(await end(), place).toSorted()).toEqual([
    ['.agents/deep/planted.md', undefined],
    ['sub/.envrc', undefined],
  ])
  expect(written.map((path) => textAt(place, path))).toEqual([
    'ours too\n',
    ...['ours\n', 'ours\n', 'ours\n', 'ours\n'],
    'changed',
  ])
  expect(textAt(place, '.troupe/agents/old.md')).toBe('old')
})

test.runIf(works)(
  'what our own tools wrote before the server was killed is not put aside at the next start',
  async () => {
    const place = makeToolPlace()
    const { box } = await during(place, {})
    await place.call('write_file', { path: '.env', content: 'ours' })
    place.put('.mcp.json', 'planted')
    await sweepWatched(box, env)
    expect([textAt(place, '.env'), textAt(place, '.mcp.json')]).toEqual(['ours', undefined])
  },
)

test.runIf(works)(
  'a file that somebody replaces while a background command runs is kept as it was and as it is',
  async () => {
    const place = makeCell()
    putFile(join(place.workspace, '.env'), 'old\n')
    putFile(join(place.workspace, '.claude/mine.md'), 'old\n')
    const { release } = await enclose(['true'], { ...place.box, lasting: true }, env)
    replace(place, '.env', 'new\n')
    // This folder is mounted, so that no command can have written in it.
    replace(place, '.claude/mine.md', 'new\n')
    const after = await release()
    expect(changed(after, place)).toEqual([['.env', 'file']])
    expect([textAt(place, '.env'), textAt(place, '.claude/mine.md')]).toEqual(['old\n', 'new\n'])
    const { id, changes } = after.aside!
    const [{ after: now }] = changes as [(typeof changes)[0]]
    retireAside(place.box.aside, id)
    expect(listAsides(place.box.aside)).toEqual([])
    const kept = join(place.box.aside, `${id}.undone`, 'files', now?.kind === 'file' ? now.digest : '')
    expect(readFileSync(kept, 'utf8')).toBe('new\n')
  },
)
