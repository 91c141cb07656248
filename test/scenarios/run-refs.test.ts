import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storesInTurn } from '../kit/database.ts'
import { ended, firstText, folderOf, nodeIn, put, said } from '../kit/run-files.ts'
import { finishRun, resultsIn, startRun, takeOn, workNode } from '../kit/runs.ts'
import { hasMail, publish } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('a worker on %s', (store) => {
  test('finds what its node refers to in its first mail and by read_ref, but not once somebody has changed it', async () => {
    const world = await createWorld({ store })
    const seen: { results?: string[]; mail?: string; root?: string } = {}
    world.vendor.script((request) => {
      const first = firstText(request)
      if (first.includes('Goal')) {
        if (said(request) === 0) return { calls: [takeOn('Ann'), takeOn('Bob'), workNode('Source', { worker: 'Ann' })] }
        if (said(request) > 1)
          return hasMail(request) && request.lastUserText.includes('Reader')
            ? { calls: [finishRun('Done.')] }
            : { text: 'Noted.' }
        const id = /node_[0-9a-f]+/.exec(resultsIn(request).join())![0]
        const more = { worker: 'Bob', refs: { report: `nodes/${id}/published/report.md` } }
        return { calls: [workNode('Reader', more), workNode('Odd', { refs: { it: 'elsewhere' } })] }
      }
      const id = nodeIn(request)
      if (first.includes('\nSource'))
        return { calls: [said(request) === 0 ? put(`nodes/${id}/scratch/report.md`, 'Forty-two.') : publish('Found.')] }
      const read = { name: 'read_ref', input: { name: 'report' } }
      if (said(request) === 0) return { calls: [read, { name: 'read_ref', input: { name: 'none' } }] }
      if (said(request) === 1) {
        seen.mail = first
        const source = /nodes\/(node_[0-9a-f]+)\/published/.exec(first)![1]!
        const file = join(seen.root!, 'nodes', source, 'published', 'report.md')
        rmSync(file)
        writeFileSync(file, 'Forty-three.')
        return { calls: [read] }
      }
      seen.results = resultsIn(request)
      return { calls: [publish('Read.')] }
    })
    const started = await startRun(world, 'Goal')
    seen.root = folderOf(world, started)
    const { nodes, edges } = await ended(world, started)
    const [source, reader] = nodes
    expect(nodes.map(({ title }) => title)).toEqual(['Source', 'Reader'])
    expect(edges).toEqual([
      { from: source!.id, to: reader!.id, kind: 'depends' },
      { from: source!.id, to: reader!.id, kind: 'ref' },
    ])
    expect(seen.mail).toContain('Forty-two.')
    expect(seen.mail).toContain(`"Source", by Ann [in nodes/${source!.id}/published: report.md]:`)
    expect(seen.results).toEqual([
      expect.stringContaining('Forty-two.'),
      expect.stringContaining('Your node has no ref "none". It has report.'),
      expect.stringContaining('was changed after it was published'),
    ])
    expect((await world.inbox()).map(({ title }) => title)).toContain('A published file of a run was changed')

    const { items } = await world.ok<{ items: { path: string }[] }>('GET', `/api/runs/${started.id}/files`)
    expect(items.map(({ path }) => path)).toContain(`nodes/${source!.id}/published/report.md`)
    const read = (path: string) => world.request('GET', `/api/runs/${started.id}/file?path=${encodeURIComponent(path)}`)
    expect(await read('_goal.md')).toMatchObject({ status: 200, body: { text: 'Goal\n' } })
    writeFileSync(join(seen.root, 'chart.png'), 'points')
    expect((await read('chart.png')).body).toMatchObject({
      text: '',
      image: { mediaType: 'image/png', data: Buffer.from('points').toString('base64') },
    })
    symlinkSync('/etc/hostname', join(seen.root, 'door'))
    expect(await read('door')).toMatchObject({ status: 403 })
    expect(await read('../../../AGENTS.md')).toMatchObject({ status: 403 })
    expect(await read('gone.md')).toMatchObject({ status: 404 })
  })

  test('is shown of what its node refers to 4,000 characters of each file and 16,000 in all, and reads the rest by name', async () => {
    const world = await createWorld({ store })
    const names = Array.from({ length: 8 }, (_, at) => `part-${at}`)
    const seen: { mail?: string; whole?: string } = {}
    world.vendor.script((request) => {
      const first = firstText(request)
      if (first.includes('Goal')) {
        if (said(request) === 0) return { calls: [takeOn('Ann'), takeOn('Bob'), workNode('Source', { worker: 'Ann' })] }
        if (said(request) > 1)
          return hasMail(request) && request.lastUserText.includes('Reader')
            ? { calls: [finishRun('Done.')] }
            : { text: 'Noted.' }
        const id = /node_[0-9a-f]+/.exec(resultsIn(request).join())![0]
        const refs = Object.fromEntries(names.map((name) => [name, `nodes/${id}/published/${name}.md`]))
        return { calls: [workNode('Reader', { worker: 'Bob', refs })] }
      }
      const id = nodeIn(request)
      if (first.includes('\nSource'))
        return said(request) === 0
          ? { calls: names.map((name) => put(`nodes/${id}/scratch/${name}.md`, 'é'.repeat(4500))) }
          : { calls: [publish('Written.')] }
      if (said(request) === 0) {
        seen.mail = first
        return { calls: [{ name: 'read_ref', input: { name: 'part-7' } }] }
      }
      seen.whole = resultsIn(request).at(-1)!
      return { calls: [publish('Read.')] }
    })
    await ended(world, await startRun(world, 'Goal'))
    const shown = seen
      .mail!.split('- part-')
      .slice(1)
      .map((part) => part.match(/é/g)?.length ?? 0)
    expect(shown.filter((count) => count > 0).slice(0, 3)).toEqual([3999, 3999, 3999])
    expect(shown.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(16_000)
    expect(seen.mail).toContain('read_ref("part-7") has all 4500 characters')
    expect(seen.whole!.match(/é/g)).toHaveLength(4500)
  })
})
