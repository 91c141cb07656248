import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/lib/files/files.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest } from '../kit/records.ts'
import { ended, firstText, folderOf, leads, lines, nodeIn, put, said } from '../kit/run-files.ts'
import { boardOf, startRun, takeOn, workNode } from '../kit/runs.ts'
import { publish } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('the folder of a run on %s', (store) => {
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
