import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/lib/files/files.ts'
import { storesInTurn } from '../kit/database.ts'
import { bash, ended, firstText, folderOf, leads, nodeIn, put, said } from '../kit/run-files.ts'
import { finishRun, resultsIn, startRun, takeOn, workNode } from '../kit/runs.ts'
import { hasMail, publish } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const HALF = '.0123456789abcdef.tmp'

describe.each(storesInTurn(import.meta.filename))('a worker on %s', (store) => {
  test('that ends without publishing is reminded once; the second time what it has is handed over as partial', async () => {
    const world = await createWorld({ store })
    const coordinator = leads([workNode('Forget it')], 'Forget it')
    world.vendor.script((request) => {
      if (firstText(request).includes('Goal')) return coordinator(request)
      return said(request) === 0
        ? { calls: [put(`nodes/${nodeIn(request)}/scratch/half.md`, 'Half.')] }
        : { text: said(request) === 1 ? 'I think I am done.' : 'Really done.' }
    })
    const started = await startRun(world, 'Goal')
    const { nodes, workers } = await ended(world, started)
    expect(nodes).toMatchObject([
      {
        status: 'finished',
        partial: true,
        summary: 'Really done.',
        reason: 'Its worker ended without publishing it.',
        published: [{ path: 'half.md' }],
      },
    ])
    const told = (await world.messages(workers[0]!.sessionId!)).filter(({ role }) => role === 'system')
    expect(told).toHaveLength(1)
    expect(JSON.stringify(await world.messages(started.sessionId))).toContain('partial')
  })

  test('at the limit of its model calls hands over what it has, in part, and the coordinator is told', async () => {
    const settings = { limits: { maxIterations: 3 }, sandbox: 'off', permissions: { allow: ['bash'] } }
    const world = await createWorld({ store, settings })
    const coordinator = leads([workNode('Endless')], 'Endless')
    world.vendor.script((request) =>
      firstText(request).includes('Goal')
        ? coordinator(request)
        : { calls: [put(`nodes/${nodeIn(request)}/scratch/${said(request)}.md`, 'More.'), bash('true')] },
    )
    const { nodes } = await ended(world, await startRun(world, 'Goal'))
    expect(nodes).toMatchObject([
      { status: 'finished', partial: true, reason: expect.stringContaining('maxIterations') },
    ])
    expect(nodes[0]!.published!.map(({ path }) => path)).toEqual(['0.md', '1.md', '2.md'])
    const unheld = (await world.inbox()).filter(({ title }) => title.includes('not held to the files of their worker'))
    expect(unheld).toHaveLength(1)
  })

  test('does a single node with one answer and no tools, and is told who it is and what it noted', async () => {
    const world = await createWorld({ store })
    const order = workNode('Say it', { single: true, worker: 'Ann' })
    const seen: { mails: string[]; tools: number[] } = { mails: [], tools: [] }
    world.vendor.script((request) => {
      const first = firstText(request)
      if (first.includes('Goal')) {
        if (said(request) === 0) return { calls: [takeOn('Ann', { identity: 'Speaks plainly.' }), order] }
        if (!hasMail(request)) return { text: 'Noted.' }
        return {
          calls: [request.lastUserText.includes('Again') ? finishRun('Done.') : workNode('Again', { worker: 'Ann' })],
        }
      }
      seen.mails.push(request.lastUserText)
      seen.tools.push(request.tools.length)
      if (said(request) === 0) {
        writeFileSync(join(folderOf(world, started), 'workers', 'Ann', 'memory.md'), 'Water boils at 100.')
        return { text: 'It is so.' }
      }
      return { calls: [publish('Said again.')] }
    })
    const started = await startRun(world, 'Goal')
    const { nodes } = await ended(world, started)
    expect(nodes).toMatchObject([
      { title: 'Say it', single: true, status: 'finished', summary: 'It is so.', published: [{ path: 'result.md' }] },
      { title: 'Again', status: 'finished', summary: 'Said again.' },
    ])
    expect(nodes[0]).not.toHaveProperty('partial')
    expect(seen.tools[0]).toBe(0)
    expect(seen.tools[1]).toBeGreaterThan(0)
    expect(seen.mails[0]).toContain('You are Ann. Speaks plainly.')
    expect(seen.mails[1]).toContain('Water boils at 100.')
  })

  test('hands over no more than a thousand files, and nothing without a summary only where there is a file; what it has handed over is sealed', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['bash'] } } })
    const coordinator = leads([workNode('First', { worker: 'Ann' }), workNode('Second', { worker: 'Ann' })], 'Second')
    const seen: { first?: string[]; second?: string[]; published?: string; mode?: number } = {}
    world.vendor.script((request) => {
      if (firstText(request).includes('Goal'))
        return said(request) === 0 ? { calls: [takeOn('Ann'), ...coordinator(request).calls!] } : coordinator(request)
      const id = nodeIn(request)
      const scratch = join(folderOf(world, started), 'nodes', id, 'scratch')
      seen.published ??= `nodes/${id}/published/kept.md`
      const at = said(request)
      if (at === 0) return { calls: [publish()] }
      if (at === 1) {
        mkdirSync(join(scratch, 'many'))
        for (let number = 0; number < 1000; number += 1) writeFileSync(join(scratch, 'many', String(number)), '')
        return { calls: [put(`nodes/${id}/scratch/kept.md`, 'Kept.'), publish('Too much.')] }
      }
      if (at === 2) {
        rmSync(join(scratch, 'many'), { recursive: true })
        // What a write left that was killed.
        writeFileSync(join(scratch, HALF), 'Ha')
        // Names that nobody can read beforehand are left to the sandbox.
        const forge = 'd=$(printf ../publi)shed; (mkdir -p $d && echo forged > $d/forged.md) && echo made || echo held'
        return { calls: [bash(forge), publish()] }
      }
      seen.first ??= resultsIn(request)
      if (at === 3) {
        const file = join(folderOf(world, started), seen.published)
        seen.mode = statSync(file).mode & 0o777
        const change = `f=$(printf ${dirname(dirname(file))}/publi)shed/kept.md; cat $f; echo more >> $f; mv $f own.md; rm -f $f; echo tried`
        return { calls: [put(seen.published, 'Changed.'), bash(change)] }
      }
      seen.second = resultsIn(request).slice(-2)
      return { calls: [publish('Tried.')] }
    })
    const started = await startRun(world, 'Goal')
    const { nodes } = await ended(world, started)
    const [empty, , many, shell] = seen.first!
    expect(empty).toContain('summary: your scratch folder is empty')
    expect(many).toContain('more than 1000 files')
    expect(shell).toContain('held')
    expect(shell).not.toContain('made')
    expect(nodes[0]!.published!.map(({ path }) => path)).toEqual(['kept.md'])
    expect(existsSync(join(folderOf(world, started), dirname(seen.published!), HALF))).toBe(false)
    expect(seen.mode).toBe(0o444)
    const [wrote, changed] = seen.second!
    expect(wrote).toMatch(/you may not write .*published/)
    expect(changed).toMatch(/Kept\.[\s\S]*tried/)
    expect(readFileSync(join(folderOf(world, started), seen.published!), 'utf8')).toBe('Kept.')
    // A copy of it is another file.
    expect(nodes[1]!.published).toMatchObject([{ path: 'own.md', sha256: sha256('Kept.') }])
  })
})
