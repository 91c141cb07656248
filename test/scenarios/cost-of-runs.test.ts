import { describe, expect, test } from 'vitest'
import type { Cost } from '../../src/contract/cost.ts'
import { stores } from '../kit/database.ts'
import { troupe } from '../kit/program.ts'
import { atRest } from '../kit/records.ts'
import { boardBecomes, startRun, workNode } from '../kit/runs.ts'
import { parts, spawn } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

describe.each(stores)('cost by run on %s', (store) => {
  test('a run has what its coordinator, its workers and their helpers used; the rest is in no run, and each request counts once', async () => {
    const world = await createWorld({ store })
    parts(world, {
      'Build it': [{ calls: [workNode('Paint the wall')] }, { text: 'Given.' }],
      'Paint the wall': [{ calls: [spawn('writer', 'Mix it')] }, { text: 'Painted.' }],
      'Mix it': [{ text: 'Mixed.' }],
      Hello: [{ text: 'Hello.' }],
    })
    const run = await startRun(world, 'Build it')
    await boardBecomes(world, run, { 'Paint the wall': 'finished' })
    await atRest(world)
    const costs = async (by: string) => (await world.ok<{ items: Cost[] }>('GET', `/api/cost?by=${by}`)).items
    const [before] = await costs('day')
    await world.ok('POST', `/api/runs/${run.id}/stop`)
    const alone = await world.session()
    await world.say(alone.id, 'Hello')
    await world.ok('POST', '/api/mail', { to: run.sessionId, content: 'Hello', wait: 60 })

    await atRest(world)
    const [day] = await costs('day')
    const byRun = new Map((await costs('run')).map((item) => [item.key, item]))
    expect([...byRun.keys()].toSorted()).toEqual(['', run.id].toSorted())
    expect(before!.messages).toBeGreaterThanOrEqual(5)
    expect(byRun.get(run.id)).toEqual({ ...before, key: run.id, title: 'Build it' })
    expect(byRun.get('')!.messages).toBeGreaterThanOrEqual(2)
    expect(byRun.get('')).not.toHaveProperty('title')
    expect(byRun.get('')!.messages + byRun.get(run.id)!.messages).toBe(day!.messages)
    expect(byRun.get('')!.tokens.input + byRun.get(run.id)!.tokens.input).toBe(day!.tokens.input)
    expect(await world.ok('GET', '/api/cost?by=run&since=2999-01-01')).toMatchObject({ items: [] })
    const shown = await troupe(world, 'cost', '--by', 'run')
    expect(shown).toMatch(/^RUN .*\n(.*\n)*\(in no run\) +\d+ /m)
    expect(shown).toContain(`${run.id.slice(4, 12)} Build it`)
  })
})
