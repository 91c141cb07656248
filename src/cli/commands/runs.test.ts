import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { troupe, troupeEnds } from '../../../test/kit/program.ts'
import { boardBecomes, boardOf, nodesIn, workNode } from '../../../test/kit/runs.ts'
import { askPerson, parts, price } from '../../../test/kit/script.ts'
import { createWorld } from '../../../test/kit/world.ts'
import type { Run } from '../../contract/runs.ts'

const demo = ['--model', 'demo/demo']

test('a run is started and followed line by line, waits for the person with 4, and ends with its result', async () => {
  const world = await createWorld()
  const recording = join(world.home, 'run.jsonl')
  const first = await troupeEnds(world, 'run', 'Find', 'a way', ...demo, '--record', recording)
  expect(first).toMatchObject({ code: 4, out: '' })
  expect(first.err).toMatch(/▸ Weigh the options \(Ben\)[\s\S]*question from Ben[\s\S]*task_\w+: Weigh the options/)
  expect(first.err).toMatch(/inbox answer [\s\S]*goes on by itself\.\nCome back: .*troupe\S* runs watch [0-9a-f]{8}/)
  // The conversations of the workers are in it too.
  const recorded = readFileSync(recording, 'utf8')
  for (const words of ['Find a way', 'Weigh the options', 'Cleo here: what do you see?', 'The opening is drafted'])
    expect(recorded).toContain(words)

  const [asked] = await world.inbox()
  await world.ok('POST', `/api/inbox/${asked!.id}/answer`, { answer: asked!.options![1] })
  const watched = await troupeEnds(world, 'runs', 'watch', 'latest')
  expect(watched).toMatchObject({ code: 0, out: expect.stringContaining('"Find a way" is looked into') })
  expect(watched.out).toMatch(/Files, below \.troupe\/runs\/run_\w+:[\s\S]*published\/report\.md\n$/)
  expect(watched.err).toContain('4 nodes: 4 finished · 3 workers')
  // What was there before anybody looked has its line, too.
  expect(watched.err).toMatch(/^✓ Collect what is there$/m)

  const listed = await troupe(world, 'runs', '--status', 'finished')
  expect(listed).toMatch(/[0-9a-f]{8} +finished +Find a way +4\/4 +coordinator [0-9a-f]+/)
  const [short = ''] = /[0-9a-f]{8}/.exec(listed) ?? []
  expect(await troupe(world, 'runs', 'show', short)).toMatch(/✓ Weigh the options +Ben[\s\S]*is looked into/)
  const weighed = (await boardOf(world, (await world.ok<{ items: Run[] }>('GET', '/api/runs')).items[0]!)).nodes[1]!
  const node = await troupe(world, 'runs', 'show', short, weighed.id.slice(0, 14))
  expect(await troupe(world, 'runs', 'show', short, 'weigh')).toBe(node)
  expect(node).toMatch(/worker +Ben[\s\S]*Goal: Find a way[\s\S]*that it is thorough/)

  expect(await troupe(world, 'runs', 'workers', short)).toMatch(/Ada +coder \(demo\/demo\) +\w+ +just now/)
  const path = `nodes/${weighed.id}/published/options.md`
  expect(await troupe(world, 'runs', 'files', short)).toMatch(new RegExp(`^PATH +BYTES\n_goal[\\s\\S]*${path} +\\d+\n`))
  expect(await troupe(world, 'runs', 'files', short, path)).toMatch(/^# Weigh the options\n/)
  const log = (await troupe(world, 'runs', 'files', short, `nodes/${weighed.id}/log.jsonl`)).split('\n')
  const begins = JSON.parse(log.find((line) => line.includes('"node.started"'))!)
  expect(await troupe(world, 'runs', 'graph', short, '--at', begins.seq)).toMatch(
    /working ·[\s\S]*▸ Weigh the options +Ben/,
  )
  expect(await troupe(world, 'why', 'latest')).toContain('finished')
  expect(await troupe(world, 'why', short)).toContain('The run "Find a way" is finished')
  expect(await troupe(world, 'export', `run_${short}`)).toMatch(/Find a way[\s\S]*Weigh the options/)

  const fits = await troupe(world, 'runs', 'dry-run', short, 'read', 'write:read', `check:write,${weighed.id}`)
  expect(fits).toMatch(/can be done[\s\S]*1 {2}read\n {2}2 {2}write\n {2}3 {2}check\n/)
  const circle = await troupeEnds(world, 'runs', 'dry-run', short, 'a:b', 'b:a', 'c:gone')
  expect(circle).toMatchObject({
    code: 1,
    out: expect.stringMatching(/circle: a → b → a\n.*c depends on gone\. There is no/),
  })
})

test('a person steers a run: writes to its members, changes, cancels and retries nodes, pauses, stops', async () => {
  const world = await createWorld()
  price(world)
  parts(world, {
    'Build a shed': [
      { calls: [workNode('Ask first')] },
      (request) => ({ calls: [workNode('Then act', { dependsOn: nodesIn(request) })] }),
      { text: 'Noted.' },
    ],
    'Ask first': [{ calls: [askPerson] }],
    'Wait for ever': [{ calls: [workNode('Sleep')] }, { text: 'I wait.' }],
    Sleep: [{ delay: new Promise(() => {}) }],
  })
  const made = JSON.parse(await troupe(world, 'run', 'Build a shed', '--budget', '$3', '--detach', '--json'))
  expect(made).toMatchObject({ limits: { maxCostUsd: 3 }, mode: 'finite' })
  const waits = { 'Ask first': 'waiting', 'Then act': 'pending' }
  const [asks, acts] = (await boardBecomes(world, made, waits)).nodes
  expect(await troupe(world, 'runs', 'edit', made.id, acts!.id, 'Act gently')).toContain('Act gently: changed')
  expect(await troupe(world, 'runs', 'send', made.id, 'How', 'is it?')).toContain('accepted, for coordinator')
  expect(await troupe(world, 'runs', 'pause', made.id)).toMatch(/is paused\.\n.*runs resume/)
  const paused = await troupeEnds(world, 'runs', 'watch', made.id)
  expect(paused).toMatchObject({ code: 4, err: expect.stringContaining('Sure?') })
  expect(await troupe(world, 'runs', 'resume', made.id)).toContain('goes on')
  expect(await troupe(world, 'runs', 'cancel', made.id, asks!.id)).toMatch(/Ask first: (canceled|told to stop)/)
  await boardBecomes(world, made, { 'Ask first': 'canceled', 'Act gently': 'blocked' })
  expect(await troupe(world, 'runs', 'retry', made.id, asks!.id)).toContain('done once more')
  await boardBecomes(world, made, { 'Ask first': 'waiting', 'Act gently': 'pending' })
  expect(await troupe(world, 'runs', 'messages', made.id)).toMatch(/human → coordinator, .*\nHow is it\?/)

  const watching = troupeEnds(world, 'run', 'Wait for ever', '--unattended')
  await world.eventually(async () => (await world.ok<{ items: Run[] }>('GET', '/api/runs')).items[1])
  expect(await troupe(world, 'runs', 'stop', 'latest')).toMatch(/is stopped[\s\S]*chat --session/)
  expect(await watching).toMatchObject({ code: 1, err: expect.stringContaining('runs show') })
  expect(await troupe(world, 'runs', 'archive', made.id)).toContain('is archived')
})

test('what cannot be meant is said before anything is asked of the server', async () => {
  const world = await createWorld()
  expect(await troupeEnds(world, 'run', 'Dig', '--budget', 'lots')).toMatchObject({ code: 2 })
  expect(await troupeEnds(world, 'run', ' ')).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no goal.'),
  })
  const both = await troupeEnds(world, 'run', 'Dig', '--detach', '--record', 'x.jsonl')
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining('Leave out --detach') })
  expect(await troupeEnds(world, 'runs', 'edit', 'latest', 'beef')).toMatchObject({ code: 2 })
  const none = await troupeEnds(world, 'runs', 'show', 'beef')
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('No run begins with "beef"') })
})
