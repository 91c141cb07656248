import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/contract/runs.ts'
import { startNextRun } from '../../src/core/runs/index.ts'
import { createClock } from '../kit/clock.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { atRest, notices } from '../kit/records.ts'
import { boardBecomes, boardOf, finishRun, resultsIn, runBecomes, startRun, workNode } from '../kit/runs.ts'
import { parts } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const noted = { text: 'Noted.' }
const plan = (content: string, more = {}) => ({ name: 'write_plan', input: { content, ...more } })

describe.each(stores)('a coordinator on %s', (store) => {
  test('keeps its plan in the folder of the run, and begins the next run when a person asks for one, and only then', async () => {
    const world = await createWorld({ store })
    parts(world, {
      'First goal': [
        { calls: [plan('# One piece'), plan('Mine', { file: '_goal.md' }), plan('x', { file: '../x.md' })] },
        { calls: [finishRun('One.')] },
        noted,
        { calls: [{ name: 'start_run', input: { goal: 'Second goal\nin two lines' } }] },
        { text: 'It begins.' },
        { calls: [workNode('Piece'), plan('# Another piece')] },
        noted,
        { calls: [finishRun('Two.')] },
        noted,
      ],
    })
    const first = await startRun(world, 'First goal', { limits: { maxNodes: 7 } })
    await runBecomes(world, first, 'finished')
    await atRest(world)
    const folder = join(world.project, '.troupe/runs')
    expect(readFileSync(join(folder, first.id, '_plan.md'), 'utf8')).toBe('# One piece\n')
    expect(readFileSync(join(folder, first.id, '_goal.md'), 'utf8')).toBe('First goal\n')
    const said = JSON.stringify(await world.results(first.sessionId))
    expect(said).toContain('has the words of the human')
    expect(said).toContain('must be a name such as')
    const alone = { sessionId: first.sessionId, callId: 'call_alone' }
    await expect(startNextRun(world.server.core, alone, 'More')).rejects.toMatchObject({
      code: 'run.state',
      message: 'Nobody has asked for another run since the last one ended.',
    })

    await world.say(first.sessionId, 'Do the next')
    const { items } = await world.ok<{ items: Run[] }>('GET', '/api/runs')
    const [second] = items
    expect(second).toMatchObject({ title: 'Second goal', sessionId: first.sessionId, limits: { maxNodes: 7 } })
    expect(await runBecomes(world, second!, 'finished')).toMatchObject({ summary: 'Two.', nodes: { finished: 1 } })
    await atRest(world)
    expect(readFileSync(join(folder, second!.id, '_plan.md'), 'utf8')).toBe('# Another piece\n')
    expect((await notices(world, first.sessionId)).filter((text) => text.includes('has begun'))).toEqual([
      expect.stringContaining('The goal: Second goal\nin two lines'),
    ])
    expect(items).toHaveLength(2)
  })
})

describe.each(storesInTurn(import.meta.filename))('an infinite run on %s', (store) => {
  test('is not ended by its coordinator, only the cycle is; each cycle has the whole of the limits, and the board tells of its own nodes', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const boards: string[] = []
    const last = (day: number) => [{ calls: [finishRun(`Day ${day} is over.`)] }, noted]
    parts(world, {
      Watch: [
        { calls: [workNode('Day 1')] },
        noted,
        ...last(1),
        { calls: [{ name: 'check_board', input: {} }] },
        (request) => {
          boards.push(resultsIn(request).at(-1)!)
          return { calls: [workNode('Day 2')] }
        },
        noted,
        ...last(2),
      ],
    })
    const run = await startRun(world, 'Watch', { mode: 'infinite', cycleSeconds: 100, limits: { maxNodes: 1 } })
    await boardBecomes(world, run, { 'Day 1': 'finished' })
    await world.eventually(async () => (await boardOf(world, run)).run.nextCycleAt !== undefined)
    await atRest(world)
    expect((await boardOf(world, run)).run).toMatchObject({ status: 'working', cycle: 2 })
    expect(JSON.stringify(await world.results(run.sessionId))).toContain('Only the human ends the run')
    clock.at += 101_000
    world.server.core.alarm(0)
    await boardBecomes(world, run, { 'Day 2': 'finished' })
    await atRest(world)
    expect(JSON.parse(boards[0]!)).toMatchObject({ nodes: [], finishedInEarlierCycles: 1 })
    expect(world.vendor.requests[0]!.system).toContain('only the human ends it')
    expect((await boardOf(world, run)).run).toMatchObject({ status: 'working', nodes: { finished: 2 } })
    await world.ok('POST', `/api/runs/${run.id}/stop`)
    await atRest(world)
  })
})
