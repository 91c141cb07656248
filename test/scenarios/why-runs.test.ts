import { describe, expect, test } from 'vitest'
import type { Why } from '../../src/contract/why.ts'
import { storesInTurn } from '../kit/database.ts'
import { boardBecomes, nodesIn, startRun, takeOn, workNode } from '../kit/runs.ts'
import { parts } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const helps = (command: string) => expect.objectContaining({ command })

describe.each(storesInTurn(import.meta.filename))('why a node does not go on, on %s', (store) => {
  test('its worker is busy, no place is free, what it depends on is open or has no result: each is named with what helps', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentWorkers: 1 } } })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Goal: [
        { calls: [takeOn('Ann'), workNode('Long', { worker: 'Ann' }), workNode('Lost', { worker: 'Ann' })] },
        (request) => ({
          calls: [
            workNode('Hers too', { worker: 'Ann' }),
            workNode('Anybody'),
            workNode('After it', { dependsOn: nodesIn(request).slice(0, 1) }),
            workNode('Without it', { dependsOn: nodesIn(request).slice(1) }),
            { name: 'cancel_node', input: { nodeId: nodesIn(request)[1] } },
          ],
        }),
        { text: 'Noted.' },
      ],
      Long: [{ text: 'Done.', delay: gate.promise }],
    })
    const run = await startRun(world, 'Goal')
    const { nodes } = await boardBecomes(world, run, { Long: 'processing', 'Without it': 'blocked' })
    const id = (title: string): string => nodes.find((node) => node.title === title)!.id
    const why = (title: string): Promise<Why> => world.ok<Why>('GET', `/api/why/${id(title)}`)

    expect(await why('Hers too')).toMatchObject({
      state: 'pending',
      text: expect.stringMatching(/waits for Ann[\s\S]*Ann works on .*Long/),
      waitsOn: [{ kind: 'node', ref: id('Long') }],
    })
    expect(await why('Anybody')).toMatchObject({
      text: expect.stringContaining('waits for a place: 1 of 1 nodes are worked on at once'),
      waitsOn: [{ kind: 'slot', ref: 'limits.maxConcurrentWorkers' }],
    })
    expect(await why('After it')).toMatchObject({
      text: expect.stringContaining('waits for 1 node that it depends on'),
      waitsOn: [{ kind: 'node', ref: id('Long') }],
      unblock: expect.arrayContaining([helps(`troupe runs cancel ${run.id} ${id('After it')}`)]),
    })
    expect(await why('Without it')).toMatchObject({
      state: 'blocked',
      text: expect.stringContaining('is blocked: 1 node that it depends on has no result'),
      waitsOn: [{ ref: id('Lost') }],
      unblock: expect.arrayContaining([helps(`troupe runs retry ${run.id} ${id('Lost')}`)]),
    })
    expect(await why('Long')).toMatchObject({ text: expect.stringContaining('is with Ann') })
    expect(await why('Lost')).toMatchObject({ state: 'canceled', wakes: { by: 'nothing' } })
    // What it says helps.
    await world.ok('POST', `/api/runs/${run.id}/nodes/${id('Lost')}/retry`)
    gate.resolve()
    await boardBecomes(world, run, { 'Without it': 'finished', 'Hers too': 'finished', Anybody: 'finished' })
  })
})
