import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/contract/runs.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest } from '../kit/records.ts'
import { runBecomes, startRun, workNode } from '../kit/runs.ts'
import { parts, tell } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const noted = { text: 'Noted.' }
const CYCLE = 100

async function worldWithClock(store: 'sqlite' | 'postgres', settings: Record<string, unknown> = {}) {
  const clock = createClock()
  const world = await createWorld({ store, clock, settings })
  const passes = (seconds: number): void => {
    clock.at += seconds * 1000
    world.server.core.alarm(0)
  }
  return { world, passes }
}

const look = (world: World, { id }: Run): Promise<Run> => world.ok<Run>('GET', `/api/runs/${id}`)

/** Resolves once it sleeps until this cycle. */
const sleepsUntil = async (world: World, run: Run, cycle: number): Promise<void> => {
  await world.eventually(async () => {
    const now = await look(world, run)
    return now.nextCycleAt !== undefined && now.cycle === cycle
  })
  await atRest(world)
}

describe.each(storesInTurn(import.meta.filename))('an infinite run on %s', (store) => {
  test('counts the messages of its members in each cycle anew, and pauses in the one that has too many', async () => {
    const { world, passes } = await worldWithClock(store)
    const day = (number: number) => [{ calls: [workNode(`Day ${number}`)] }, noted, noted, noted]
    parts(world, {
      Watch: [...day(1), ...day(2), ...day(3)],
      'Day 1': [
        { calls: [tell('coordinator', 'First')] },
        { text: 'Done.' },
        { calls: [tell('coordinator', 'Second')] },
        { text: 'Done.' },
        { calls: [tell('coordinator', 'Third')] },
        { calls: [tell('coordinator', 'Fourth')] },
        { text: 'Done.' },
      ],
    })
    const run = await startRun(world, 'Watch', { mode: 'infinite', cycleSeconds: CYCLE, limits: { maxMessages: 2 } })
    await sleepsUntil(world, run, 2)
    passes(CYCLE + 1)
    await sleepsUntil(world, run, 3)
    expect(await look(world, run)).toMatchObject({ status: 'working', nodes: { finished: 2 } })
    expect(await world.inbox()).toEqual([])
    passes(CYCLE + 1)
    expect(await runBecomes(world, run, 'paused')).toMatchObject({ reason: expect.stringContaining('maxMessages') })
    await world.ok('POST', `/api/runs/${run.id}/stop`)
    await atRest(world)
  })

  test('has the time of the settings in each cycle, and that which it was given once in all', async () => {
    const { world, passes } = await worldWithClock(store, { limits: { run: { maxDurationSeconds: 60, maxNodes: 3 } } })
    const gate = Promise.withResolvers<void>()
    parts(world, { Watch: [noted, noted, { ...noted, delay: gate.promise }], Given: [noted] })
    const run = await startRun(world, 'Watch', { mode: 'infinite', cycleSeconds: CYCLE, limits: { maxNodes: 4 } })
    expect(run.limits).toEqual({ maxNodes: 4, maxDepth: 4, maxMessages: 1000, maxDurationSeconds: 60 })
    await sleepsUntil(world, run, 2)
    const { nextCycleAt } = await look(world, run)
    expect(await world.ok('GET', `/api/why/${run.id}`)).toMatchObject({
      wakes: { by: 'time', label: 'cycle 2', at: nextCycleAt },
      text: expect.stringContaining('it sleeps until its cycle 2'),
    })
    passes(CYCLE + 1)
    await sleepsUntil(world, run, 3)
    expect(await look(world, run)).toMatchObject({ status: 'working' })
    passes(CYCLE + 1)
    // While a cycle goes on nobody waits for the next.
    await world.eventually(async () => (await world.look(run.sessionId)).status === 'running' || undefined)
    expect(await look(world, run)).toMatchObject({ cycle: 3 })
    expect(await look(world, run)).not.toHaveProperty('nextCycleAt')
    passes(61)
    expect(await runBecomes(world, run, 'paused')).toMatchObject({
      reason: expect.stringContaining('maxDurationSeconds'),
    })
    gate.resolve()
    await world.ok('POST', `/api/runs/${run.id}/stop`)
    const given = { mode: 'infinite', cycleSeconds: CYCLE, limits: { maxDurationSeconds: 90 } }
    const other = await startRun(world, 'Given', given)
    await sleepsUntil(world, other, 2)
    passes(91)
    await runBecomes(world, other, 'paused')
    await world.ok('POST', `/api/runs/${other.id}/stop`)
    await atRest(world)
  })
})
