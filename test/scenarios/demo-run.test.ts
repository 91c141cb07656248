import { expect, test } from 'vitest'
import type { Run } from '../../src/contract/runs.ts'
import { heard } from '../kit/records.ts'
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
  expect((await heard(world, { id: run.sessionId }))[0]).toContain('Find out how to keep notes')
})
