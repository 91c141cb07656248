import { readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storesInTurn } from '../kit/database.ts'
import { bash, ended, firstText, folderOf, leads, look, nodeIn, put, said } from '../kit/run-files.ts'
import { resultsIn, startRun, takeOn, workNode } from '../kit/runs.ts'
import { askPerson, publish } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('a worker on %s', (store) => {
  test('reads what others published and its own folders, and neither reads nor writes anything else of the run, not by links or helpers either', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['bash'] } } })
    const coordinator = leads(
      [takeOn('Ann'), takeOn('Bob'), workNode('First', { worker: 'Ann' }), workNode('Second', { worker: 'Bob' })],
      'Second',
    )
    const [annWrote, known] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
    const seen: { ann?: string; bob?: string; root?: string; results?: string[]; helped?: string[] } = {}
    const helps = (request: SeenRequest): Reply => {
      seen.helped = resultsIn(request)
      if (said(request) > 0) return { text: 'Helped.' }
      const secret = join('.troupe', 'runs', basename(seen.root!), 'nodes', seen.ann!, 'scratch', 'secret.md')
      return {
        calls: [
          look(secret),
          look('workers/Ann/notebook.md'),
          look(`nodes/${seen.ann}/log.jsonl`),
          bash(`cat $(printf ${join(seen.root!, 'nodes', seen.ann!)})/scratch/secret.md || echo gone`),
          put(`nodes/${seen.bob}/scratch/helped.md`, 'For Bob'),
        ],
      }
    }
    world.vendor.script((request) => {
      const first = firstText(request)
      if (first.includes('Goal')) return coordinator(request)
      if (first.includes('Help Bob')) return helps(request)
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
      seen.bob = id
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
            bash(`cat ../../${seen.ann}/scratch/secret.md`),
            { name: 'grep', input: { pattern: 'Of Ann', path: 'nodes', include_ignored: true } },
            // What a command reaches by a name that nobody can read beforehand is kept from it by the sandbox.
            bash(`cat $(printf ../../${seen.ann})/scratch/secret.md || echo gone`),
            put('workers/Bob/notebook.md', 'Mine'),
            bash('pwd; echo here > own.md; cat ../../../workers/Bob/notebook.md'),
            look(`nodes/${id}/scratch/../../${seen.ann}/scratch/secret.md`),
            bash(
              `a=$(printf ../../${seen.ann}); o=$(printf ../../${id}); m=$(printf ../../moved); ln -s $a/scratch way; cat way/secret.md; ln $a/scratch/secret.md hard; mv $o $m; mv $o/scratch $m; rm way; ls`,
            ),
            // Whoever works for a worker may touch what that worker may.
            { name: 'agent_spawn', input: { agent: 'assistant', instruction: 'Help Bob', returnMode: 'lastMessage' } },
          ],
        }
      }
      seen.results = resultsIn(request)
      return { calls: [publish('Done.')] }
    })
    const started = await startRun(world, 'Goal')
    seen.root = folderOf(world, started)
    known.resolve(seen.root)
    const { nodes } = await ended(world, started)
    const [goal, secret, door, absolute, notebook, forged, plan, cat, grep, boxed, own, pwd, up, links] = seen.results!
    for (const refused of [secret, door, absolute, notebook, forged, plan, cat, up])
      expect(refused).toMatch(/you may not (read|write) .*you may read .*published.*scratch.*workers\/Bob/)
    expect(grep).not.toContain('secret.md')
    expect(boxed).toContain('gone')
    expect(boxed).not.toContain('Of Ann')
    expect(own).toContain('Wrote')
    expect(goal).toContain('Goal')
    expect(pwd).toContain(join('nodes', nodes[1]!.id, 'scratch'))
    expect(pwd).toContain('Mine')
    expect(links).toMatch(/own\.md/)
    expect(links).not.toMatch(/Of Ann|hard\n/)
    const [read, notes, log, shell, wrote] = seen.helped!
    for (const refused of [read, notes, log])
      expect(refused).toMatch(/you may not read .*you may read .*published.*scratch.*workers\/Bob/)
    expect(shell).toContain('gone')
    expect(shell).not.toContain('Of Ann')
    expect(wrote).toContain('Wrote')
    expect(nodes[1]!.published!.map(({ path }) => path)).toEqual(['helped.md', 'own.md'])
    expect(readFileSync(join(folderOf(world, started), 'workers', 'Bob', 'notebook.md'), 'utf8')).toBe('Mine')
  })
})
