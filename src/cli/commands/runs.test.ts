import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { troupe, troupeEnds } from '../../../test/kit/program.ts'
import { boardBecomes, boardOf } from '../../../test/kit/runs.ts'
import { askPerson, parts } from '../../../test/kit/script.ts'
import { createWorld } from '../../../test/kit/world.ts'
import type { Run } from '../../contract/runs.ts'

const demo = ['--model', 'demo/demo']

test('a run is started and followed line by line, waits for the person with 4, and ends with its result', async () => {
  const world = await createWorld()
  const recording = join(world.home, 'run.jsonl')
  const first = await troupeEnds(world, 'run', 'Find', 'a way', ...demo, '--record', recording)
  expect(first).toMatchObject({ code: 4, out: '' })
  expect(first.err).toMatch(/▸ Weigh the options \(Ben\)[\s\S]*question from Ben/)
  expect(first.err).toMatch(/inbox answer [\s\S]*goes on by itself\.\nCome back: .*troupe\S* runs watch [0-9a-f]{8}/)
  expect(readFileSync(recording, 'utf8')).toContain('Find a way')

  const [asked] = await world.inbox()
  await world.ok('POST', `/api/inbox/${asked!.id}/answer`, { answer: asked!.options![1] })
  const watched = await troupeEnds(world, 'runs', 'watch', 'latest')
  expect(watched).toMatchObject({ code: 0, out: expect.stringContaining('"Find a way" is looked into') })
  expect(watched.err).toContain('4 nodes: 4 finished · 3 workers')

  const listed = await troupe(world, 'runs', '--status', 'finished')
  expect(listed).toMatch(/[0-9a-f]{8} +finished +Find a way +4\/4 +coordinator [0-9a-f]+/)
  const [short = ''] = /[0-9a-f]{8}/.exec(listed) ?? []
  expect(await troupe(world, 'runs', 'show', short)).toMatch(/✓ Weigh the options +Ben[\s\S]*is looked into/)
  const weighed = (await boardOf(world, (await world.ok<{ items: Run[] }>('GET', '/api/runs')).items[0]!)).nodes[1]!
  const node = await troupe(world, 'runs', 'show', short, weighed.id.slice(0, 14))
  expect(node).toMatch(/worker +Ben[\s\S]*Goal: Find a way[\s\S]*that it is thorough/)
})

test('a run is started and left, stopped, and its watcher is told that it was', async () => {
  const world = await createWorld()
  const nap = { name: 'create_work_node', input: { task: 'Nap' } }
  parts(world, { Wait: [{ calls: [nap] }, { text: 'I wait.' }], Nap: [{ calls: [askPerson] }] })
  const made = JSON.parse(await troupe(world, 'run', 'Wait', '--agent', 'coordinator', '--detach', '--json'))
  const { nodes } = await boardBecomes(world, made, { Nap: 'waiting' })
  expect(await troupe(world, 'runs', 'cancel', 'latest', nodes[0]!.id)).toContain('"Nap" is')
  await boardBecomes(world, made, { Nap: 'canceled' })
  expect(await troupeEnds(world, 'runs', 'edit', 'latest', nodes[0]!.id)).toMatchObject({ code: 2 })
  const watching = troupeEnds(world, 'runs', 'watch', made.id)
  expect(await troupe(world, 'runs', 'stop', made.id)).toMatch(/is stopped[\s\S]*chat --session/)
  expect(await watching).toMatchObject({ code: 1, err: expect.stringContaining('runs show') })
})

test('what cannot be meant is said before anything is asked of the server', async () => {
  const world = await createWorld()
  expect(await troupeEnds(world, 'run', 'Dig', '--budget', 'lots')).toMatchObject({ code: 2 })
  const both = await troupeEnds(world, 'run', 'Dig', '--detach', '--record', 'x.jsonl')
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining('Leave out --detach') })
  const none = await troupeEnds(world, 'runs', 'show', 'beef')
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('No run begins with "beef"') })
})
