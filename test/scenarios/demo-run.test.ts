import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/contract/runs.ts'
import { createClock } from '../kit/clock.ts'
import { atRest, heard, notices } from '../kit/records.ts'
import { boardBecomes, boardOf, startRun } from '../kit/runs.ts'
import { createWorld } from '../kit/world.ts'

test('the demo plays a whole run without a key: three side by side, a question to the person, one who brings it together', async () => {
  const world = await createWorld()
  const run = await startRun(world, 'Find out how to keep notes', { model: 'demo/demo' })
  const board = await boardBecomes(world, run, {
    'Collect what is there': 'finished',
    'Weigh the options': 'waiting',
    'Draft the opening': 'finished',
  })
  expect(new Set(board.workers.map(({ name, model }) => `${name} ${model}`))).toEqual(
    new Set(['Ada demo/demo', 'Ben demo/demo', 'Cleo demo/demo']),
  )
  const { reply } = await world.say(run.sessionId, 'How is it?')
  expect(reply).toMatch(/^I heard you: "How is it\?"/)
  const [asked] = await world.inbox()
  expect(asked).toMatchObject({ kind: 'question', title: expect.stringContaining('keep notes') })
  await world.ok('POST', `/api/inbox/${asked!.id}/answer`, { answer: asked!.options![1] })
  const over = await world.eventually(async () => {
    const now = await world.ok<Run>('GET', `/api/runs/${run.id}`)
    return now.status === 'finished' && now
  })
  expect(over.summary).toMatch(/"Find out how to keep notes" is looked into/)
  const { nodes, stages } = await boardOf(world, run)
  expect(stages.map(({ status }) => status)).toEqual(['completed'])
  const [, weighed, , last] = nodes
  expect(weighed!.summary).toContain(asked!.options![1])
  expect(last).toMatchObject({ title: 'Bring it together', worker: 'Cleo', status: 'finished' })
  expect(last!.dependsOn).toHaveLength(3)
  const [ada, cleo] = ['Ada', 'Cleo'].map((name) => board.workers.find((worker) => worker.name === name)!)
  expect(await heard(world, { id: ada!.sessionId! })).toContainEqual(expect.stringContaining('Cleo here: what do you'))
  expect(await heard(world, { id: cleo!.sessionId! })).toContainEqual(expect.stringContaining('I see this'))
  expect((await notices(world, run.sessionId)).join('\n')).toMatch(/Suggestions of workers:\n- Ben: Try the chosen way/)

  expect(nodes.map(({ published = [] }) => published.map(({ path }) => path))).toEqual([
    ['facts.md'],
    ['options.md'],
    ['opening.md'],
    ['report.md'],
  ])
  const folder = join(world.project, '.troupe/runs', run.id, 'nodes', last!.id, 'published')
  const report = readFileSync(join(folder, 'report.md'), 'utf8')
  expect(report).toMatch(/^# Bring it together\n\nGoal: Find out how to keep notes/)
  expect(report).toContain(`> The person chose: ${asked!.options![1]}.`)
  const notes = join(world.project, '.troupe/runs', run.id, 'workers/Ada/memory.md')
  expect(readFileSync(notes, 'utf8')).toContain('Collect what is there')
})

test('the demo of an infinite run ends its cycle, and goes on with the same team when the next one is due', async () => {
  const clock = createClock()
  const world = await createWorld({ clock })
  const run = await startRun(world, 'Watch the news', { model: 'demo/demo', mode: 'infinite', cycleSeconds: 100 })
  const asked = await world.eventually(async () => (await world.inbox()).find(({ kind }) => kind === 'question'))
  await world.ok('POST', `/api/inbox/${asked.id}/answer`, { answer: asked.options![1] })
  const between = await world.eventually(async () => {
    const { run: now, nodes } = await boardOf(world, run)
    return now.nextCycleAt !== undefined && nodes.length === 4 && now
  })
  expect(between).toMatchObject({ status: 'working', nodes: { finished: 4 } })
  await atRest(world)
  clock.at += 101_000
  world.server.core.alarm(0)
  const { nodes, workers } = await world.eventually(async () => {
    const board = await boardOf(world, run)
    return board.nodes.length === 7 && board.nodes.every(({ status }) => status !== 'pending') && board
  })
  expect(nodes.slice(4).map(({ title }) => title)).toEqual(nodes.slice(0, 3).map(({ title }) => title))
  expect(workers).toHaveLength(3)
  await world.ok('POST', `/api/runs/${run.id}/stop`)
  await atRest(world)
})
