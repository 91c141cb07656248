import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Board, Run } from '../../src/contract/runs.ts'
import { sha256 } from '../../src/lib/files/files.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { atRest } from '../kit/records.ts'
import { boardOf, finishRun, startRun, takeOn, workNode } from '../kit/runs.ts'
import { askPerson, hasMail, publish } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const put = (path: string, content: string) => ({ name: 'write_file', input: { path, content } })
const look = (path: string) => ({ name: 'read_file', input: { path } })
const run = (command: string) => ({ name: 'bash', input: { command } })

const said = ({ messages }: SeenRequest): number => messages.filter(({ role }) => role === 'assistant').length
const results = ({ messages }: SeenRequest): string[] =>
  messages.flatMap(({ results: some }) => some.map(({ text }) => text))
const firstText = ({ messages }: SeenRequest): string => messages.find(({ role }) => role === 'user')?.text ?? ''
const nodeIn = (request: SeenRequest): string => /node_[0-9a-f]+/.exec(firstText(request))![0]

/** A coordinator makes these nodes, and ends the run when a message speaks of the last. */
const leads =
  (calls: readonly { name: string; input: unknown }[], last: string) =>
  (request: SeenRequest): Reply => {
    if (said(request) === 0) return { calls: [...calls] }
    return hasMail(request) && request.lastUserText.includes(last)
      ? { calls: [finishRun('Done.')] }
      : { text: 'Noted.' }
  }

async function ended(world: World, { id }: Run): Promise<Board> {
  await world.eventually(async () => (await world.ok<Run>('GET', `/api/runs/${id}`)).status === 'finished' || undefined)
  await atRest(world)
  return boardOf(world, { id })
}

const folderOf = (world: World, { id }: Pick<Run, 'id'>): string => join(world.project, '.troupe', 'runs', id)
const lines = (path: string): { seq: string; type?: string; content?: string; role?: string }[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe.each(stores)('the folder of a run on %s', (store) => {
  test('has goal, specs, status, logs, mail and what each node published, and nothing twice after a crash of the writer', async () => {
    const world = await createWorld({ store })
    const coordinator = leads(
      [takeOn('Ann', { identity: 'Writes short.' }), workNode('Write it', { worker: 'Ann' })],
      'Write it',
    )
    world.vendor.script((request) => {
      if (firstText(request).includes('Goal')) return coordinator(request)
      const id = nodeIn(request)
      return said(request) === 0
        ? {
            calls: [
              put(`nodes/${id}/scratch/report.md`, 'All of it.'),
              publish('A report.'),
              put('late.md', 'Too late'),
            ],
          }
        : { text: 'Never asked.' }
    })
    const started = await startRun(world, 'Goal')
    const { nodes } = await ended(world, started)
    const [node] = nodes
    expect(node).toMatchObject({
      status: 'finished',
      summary: 'A report.',
      published: [{ path: 'report.md', size: 10, sha256: sha256('All of it.') }],
    })
    expect(node).not.toHaveProperty('partial')
    // The step ended with the node: the model was not asked again, and what came later in the step was not done.
    expect(existsSync(join(world.project, 'late.md'))).toBe(false)
    expect(JSON.stringify(await world.results((await boardOf(world, started)).workers[0]!.sessionId!))).toContain(
      'the node is published',
    )

    const root = folderOf(world, started)
    const own = join(root, 'nodes', node!.id)
    expect(readFileSync(join(root, '_goal.md'), 'utf8')).toBe('Goal\n')
    // Git is told to leave all runs alone.
    expect(readFileSync(join(root, '../.gitignore'), 'utf8')).toBe('*\n')
    expect(readFileSync(join(own, '_spec.md'), 'utf8')).toBe('Write it\n')
    expect(readFileSync(join(own, 'published', 'report.md'), 'utf8')).toBe('All of it.')
    expect(existsSync(join(own, 'scratch'))).toBe(false)
    expect(readFileSync(join(own, '_status.md'), 'utf8')).toMatch(
      /# Write it[\s\S]*finished[\s\S]*A report\.[\s\S]*report\.md/,
    )
    expect(readFileSync(join(root, 'workers', 'Ann', 'identity.md'), 'utf8')).toContain('Writes short.')
    expect(JSON.parse(readFileSync(join(root, 'workers', 'Ann', 'history.json'), 'utf8'))).toMatchObject([
      { node: node!.id, status: 'finished', summary: 'A report.' },
    ])
    const log = lines(join(own, 'log.jsonl'))
    const types = log.map(({ type }) => type).filter((type) => type!.startsWith('node.'))
    const handed = ['node.publishing', 'node.published']
    expect(types).toEqual(['node.created', 'node.assigned', 'node.started', ...handed, 'node.finished'])
    expect(lines(join(root, '_messages.jsonl')).map(({ content }) => content)).toContain('Goal')
    expect(lines(join(root, 'workers', 'Ann', 'conversation.jsonl')).map(({ role }) => role)).toContain('assistant')

    // As if the writer had died behind the files and before its row, in the middle of a line.
    const { core } = world.server
    writeFileSync(join(own, 'log.jsonl'), `${readFileSync(join(own, 'log.jsonl'), 'utf8')}{"seq":"half`)
    await core.store.write(async (db) => {
      await db.updateTable('runs').set({ files_after: null }).execute()
      await db
        .insertInto('timers')
        .values({
          id: `files:${started.id}`,
          due_at: 0,
          kind: 'files',
          ref: started.id,
          session_id: null,
          payload: '{}',
          claimed_by: null,
          claimed_until: null,
        })
        .execute()
    })
    core.alarm(0)
    await atRest(world)
    expect(lines(join(own, 'log.jsonl'))).toEqual(log)
  })
})

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
        : { calls: [put(`nodes/${nodeIn(request)}/scratch/${said(request)}.md`, 'More.'), run('true')] },
    )
    const { nodes } = await ended(world, await startRun(world, 'Goal'))
    expect(nodes).toMatchObject([
      { status: 'finished', partial: true, reason: expect.stringContaining('maxIterations') },
    ])
    expect(nodes[0]!.published!.map(({ path }) => path)).toEqual(['0.md', '1.md', '2.md'])
    const unheld = (await world.inbox()).filter(({ title }) => title.includes('not held to the files of their worker'))
    expect(unheld).toHaveLength(1)
  })

  test('reads what others published and its own folders, and neither reads nor writes anything else of the run, not by links either', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['bash'] } } })
    const coordinator = leads(
      [takeOn('Ann'), takeOn('Bob'), workNode('First', { worker: 'Ann' }), workNode('Second', { worker: 'Bob' })],
      'Second',
    )
    const [annWrote, known] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
    const seen: { ann?: string; root?: string; results?: string[] } = {}
    world.vendor.script((request) => {
      const first = firstText(request)
      if (first.includes('Goal')) return coordinator(request)
      const id = nodeIn(request)
      if (first.includes('First')) {
        seen.ann = id
        if (said(request) === 0)
          return {
            calls: [put(`nodes/${id}/scratch/secret.md`, 'Of Ann'), put('workers/Ann/notebook.md', 'Notes of Ann')],
          }
        annWrote.resolve()
        return { calls: [askPerson] }
      }
      if (said(request) === 0)
        return { calls: [look('_goal.md')], delay: Promise.all([annWrote.promise, known.promise]) }
      if (said(request) === 1) {
        const root = seen.root!
        symlinkSync(join(root, 'nodes', seen.ann!, 'scratch'), join(root, 'nodes', id, 'scratch', 'door'))
        return {
          calls: [
            look(`nodes/${seen.ann}/scratch/secret.md`),
            look(`nodes/${id}/scratch/door/secret.md`),
            look(join(root, 'workers', 'Ann', 'notebook.md')),
            look('workers/Ann/notebook.md'),
            put(`nodes/${seen.ann}/published/forged.md`, 'Not mine'),
            put('_plan.md', 'My plan'),
            run(`cat ../../${seen.ann}/scratch/secret.md`),
            { name: 'grep', input: { pattern: 'Of Ann', path: 'nodes', include_ignored: true } },
            // What a command reaches by a name that nobody can read beforehand is kept from it by the sandbox.
            run(`cat $(printf ../../${seen.ann})/scratch/secret.md || echo gone`),
            put('workers/Bob/notebook.md', 'Mine'),
            run('pwd; echo here > own.md; cat ../../../workers/Bob/notebook.md'),
          ],
        }
      }
      seen.results = results(request)
      return { calls: [publish('Done.')] }
    })
    const started = await startRun(world, 'Goal')
    seen.root = folderOf(world, started)
    known.resolve(seen.root)
    const { nodes } = await ended(world, started)
    const [goal, secret, door, absolute, notebook, forged, plan, cat, grep, boxed, own, pwd] = seen.results!
    for (const refused of [secret, door, absolute, notebook, forged, plan, cat])
      expect(refused).toMatch(/you may not (read|write) .*you may read .*published.*scratch.*workers\/Bob/)
    expect(grep).not.toContain('secret.md')
    expect(boxed).toContain('gone')
    expect(boxed).not.toContain('Of Ann')
    expect(own).toContain('Wrote')
    expect(goal).toContain('Goal')
    expect(pwd).toContain(join('nodes', nodes[1]!.id, 'scratch'))
    expect(pwd).toContain('Mine')
    expect(nodes[1]!.published!.map(({ path }) => path)).toEqual(['own.md'])
    expect(readFileSync(join(folderOf(world, started), 'workers', 'Bob', 'notebook.md'), 'utf8')).toBe('Mine')
  })

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
        const id = /node_[0-9a-f]+/.exec(results(request).join())![0]
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
      seen.results = results(request)
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
})
