import { describe, expect, test } from 'vitest'
import type { DryRun, Node, Worker } from '../../src/contract/runs.ts'
import type { Why } from '../../src/contract/why.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { atRest, heard, notices, tasks } from '../kit/records.ts'
import { boardBecomes, boardOf, nodesIn, runBecomes, stage, startRun, statuses, takeOn, workNode } from '../kit/runs.ts'
import { askPerson, parts } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const resultsIn = ({ messages }: SeenRequest): string[] =>
  messages.flatMap(({ results }) => results.map(({ text }) => text))

const call = (name: string, input: Record<string, unknown>) => ({ name, input })

const answerAll = async (world: World): Promise<void> => {
  for (const { id } of await world.inbox()) await world.ok('POST', `/api/inbox/${id}/answer`, { answer: 'Yes' })
}

describe.each(storesInTurn(import.meta.filename))('the coordinator on %s', (store) => {
  test('chooses who does what has not begun, calls nodes off, lets workers go, and hears what workers suggest with the news', async () => {
    const world = await createWorld({ store })
    const said: string[] = []
    parts(world, {
      Goal: [
        { calls: [takeOn('Ann'), takeOn('Bob'), takeOn('Carl'), workNode('Hold on', { worker: 'Ann' })] },
        (request) => ({
          calls: [
            workNode('Later', { dependsOn: nodesIn(request), worker: 'Carl' }),
            workNode('Never', { dependsOn: nodesIn(request) }),
          ],
        }),
        { text: 'I wait.' },
        (request) => {
          const [hold, later, never] = nodesIn(request)
          return {
            calls: [
              call('retire_worker', { worker: 'Carl' }),
              call('assign_worker', { nodeId: later!, worker: 'Carl' }),
              call('assign_worker', { nodeId: later!, worker: 'Bob' }),
              call('assign_worker', { nodeId: hold!, worker: 'Bob' }),
              call('cancel_node', { nodeId: never!, reason: 'Not needed.' }),
              call('retire_worker', { worker: 'Ann' }),
            ],
          }
        },
        (request) => {
          said.push(...resultsIn(request).slice(-6))
          return { text: 'Done.' }
        },
        { calls: [call('retire_worker', { worker: 'Ann' })] },
        { text: 'Noted.' },
      ],
      Later: [{ text: 'Done later.' }],
      'Hold on': [{ calls: [call('suggest_next', { suggestion: 'Paint it green' }), askPerson] }, { text: 'Held.' }],
    })
    const run = await startRun(world, 'Goal')
    await boardBecomes(world, run, { 'Hold on': 'waiting', Later: 'pending', Never: 'pending' })
    await world.reaches(run.sessionId, 'idle')
    await world.say(run.sessionId, 'Change it')
    expect(said).toEqual([
      expect.stringContaining('"status":"retired"'),
      expect.stringContaining('No worker of this run is called "Carl"'),
      expect.stringContaining('"worker":"Bob"'),
      expect.stringMatching(/"Hold on" is waiting: it cannot be changed any more/),
      expect.stringContaining('"status":"canceled"'),
      expect.stringMatching(/Ann works on "Hold on"/),
    ])
    // A suggestion wakes nobody, and whoever calls a node off need not be told.
    expect(await notices(world, run.sessionId)).toEqual([])
    await runBecomes(world, run, 'waiting')
    const why = (ref: string) => world.ok<Why>('GET', `/api/why/${ref}`)
    const [hold, later, never] = (await boardOf(world, run)).nodes.map(({ id }) => id)
    expect(await why(later!)).toMatchObject({ state: 'pending', waitsOn: [{ kind: 'node', ref: hold }] })
    expect((await why(never!)).text).toMatch(/The node "?Never"? is canceled: Not needed\./)
    const asked = (await world.inbox())[0]!.id
    for (const ref of [run.id, hold!]) {
      const { state, unblock, text } = await why(ref)
      expect(state).toBe('waiting')
      expect(unblock.map(({ command }) => command)).toContain(`troupe inbox answer ${asked} "…"`)
      expect(text).toContain('Hold on')
    }
    expect(await world.request('GET', '/api/why/node_gone')).toMatchObject({ status: 404 })
    await answerAll(world)
    const { nodes } = await boardBecomes(world, run, { 'Hold on': 'finished', Later: 'finished' })
    await atRest(world)
    expect(nodes.map(({ worker, status }) => [worker, status])).toEqual([
      ['Ann', 'finished'],
      ['Bob', 'finished'],
      [undefined, 'canceled'],
    ])
    const { items } = await world.ok<{ items: Worker[] }>('GET', `/api/runs/${run.id}/workers`)
    expect(items.map(({ name, status }) => [name, status])).toEqual([
      ['Ann', 'retired'],
      ['Bob', 'idle'],
      ['Carl', 'retired'],
    ])
    expect(await world.look(items[0]!.sessionId!)).toMatchObject({ status: 'closed' })
    const told = (await notices(world, run.sessionId)).join('\n')
    expect(told.split('Paint it green')).toHaveLength(2)
    expect(told).toMatch(/Suggestions of workers:\n- Ann: Paint it green/)
    expect(told).not.toContain('Never')
  })

  test('gets a dry run: waves, the way of a circle, what is missing; nothing is made by it', async () => {
    const world = await createWorld({ store })
    const said: string[] = []
    parts(world, {
      Goal: [
        { calls: [workNode('Base')] },
        (request) => ({
          calls: [
            call('check_board', {
              proposed: [
                { name: 'walls', dependsOn: nodesIn(request) },
                { name: 'roof', dependsOn: ['walls'] },
              ],
            }),
            call('check_board', {
              proposed: [
                { name: 'egg', dependsOn: ['hen'] },
                { name: 'hen', dependsOn: ['egg', 'cock'] },
              ],
            }),
          ],
        }),
        (request) => {
          said.push(...resultsIn(request).slice(-2))
          return { text: 'Noted.' }
        },
      ],
      Base: [{ calls: [askPerson] }],
    })
    const run = await startRun(world, 'Goal')
    const { nodes } = await boardBecomes(world, run, { Base: 'waiting' })
    await world.reaches(run.sessionId, 'idle')
    const [good, bad] = said.map((text) => JSON.parse(text) as DryRun)
    expect(good).toEqual({ possible: true, waves: [[nodes[0]!.id], ['walls'], ['roof']] })
    expect(bad).toMatchObject({
      possible: false,
      cycle: ['egg', 'hen', 'egg'],
      missing: [{ node: 'hen', dependsOn: 'cock', reason: 'There is no such node.' }],
    })
    const asked = { nodes: [{ name: 'walls', dependsOn: [nodes[0]!.id] }] }
    expect(await world.ok('POST', `/api/runs/${run.id}/dry-run`, asked)).toEqual({
      possible: true,
      waves: [[nodes[0]!.id], ['walls']],
    })
    expect(Object.keys(await statuses(world, run))).toEqual(['Base'])

    const body = { type: 'delayed', config: { delaySeconds: 3600 } }
    const action = { type: 'run_node', run: run.id, task: 'From a trigger', dependsOn: [nodes[0]!.id] }
    const { id } = await world.ok<{ id: string }>('POST', '/api/triggers', { ...body, action })
    await world.ok('POST', `/api/triggers/${id}/fire`)
    expect(await statuses(world, run)).toEqual({ Base: 'waiting', 'From a trigger': 'pending' })
    const text = (await world.call('GET', `/api/runs/${run.id}/export`)).text
    for (const part of ['# Goal', '### From a trigger', '# Coordinator (coordinator)', '# worker-1 (assistant)'])
      expect(text).toContain(part)
    const lines = (await world.call('GET', `/api/runs/${run.id}/export?format=jsonl`)).text.trim().split('\n')
    const kinds = new Set(lines.map((one) => (JSON.parse(one) as { kind: string }).kind))
    expect([...kinds]).toEqual(['run', 'worker', 'node', 'message'])

    await world.ok('POST', `/api/runs/${run.id}/stop`)
    const fire = await world.ok<{ outcome: string; reason?: string }>('POST', `/api/triggers/${id}/fire`)
    expect(fire).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining('is stopped') })
  })

  test('gives the nodes of a stage a number of model calls, and one that needs more ends there', async () => {
    const world = await createWorld({ store })
    const started = Promise.withResolvers<void>()
    parts(world, {
      Goal: [
        { calls: [takeOn('Ann'), workNode('First', { worker: 'Ann' })] },
        (request) => ({
          calls: [stage('Only', nodesIn(request), { maxIterationsPerNode: 2 }), workNode('Endless', { worker: 'Ann' })],
        }),
        () => {
          started.resolve()
          return { text: 'Noted.' }
        },
        { text: 'Noted.' },
      ],
      First: [
        { text: 'There.', delay: started.promise },
        { calls: [call('todo_write', { todos: [{ content: 'More' }] })] },
      ],
    })
    const run = await startRun(world, 'Goal')
    const { nodes } = await boardBecomes(world, run, { First: 'finished', Endless: 'finished' })
    expect(nodes[1]).toMatchObject({ partial: true, reason: expect.stringContaining('2') })
    expect((await boardOf(world, run)).stages).toMatchObject([{ maxIterationsPerNode: 2 }])
    expect((await tasks(world)).map(({ max_iterations }) => max_iterations)).toContain(2)
  })
})

describe.each(stores)('a person at a board, on %s', (store) => {
  test('edits what has not begun, calls nodes off and has them tried again', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Goal: [
        { calls: [workNode('Ask first')] },
        (request) => ({ calls: [workNode('Then act', { dependsOn: nodesIn(request) })] }),
        { text: 'Noted.' },
      ],
      'Ask first': [{ calls: [askPerson] }, { text: 'Asked.' }],
    })
    const run = await startRun(world, 'Goal')
    const { nodes } = await boardBecomes(world, run, { 'Ask first': 'waiting', 'Then act': 'pending' })
    const [first, then] = nodes.map(({ id }) => `/api/runs/${run.id}/nodes/${id}`)
    expect(await world.ok<Node>('PATCH', then!, { spec: 'Act wisely\nand slowly' })).toMatchObject({
      title: 'Act wisely',
      spec: 'Act wisely\nand slowly',
    })
    expect(await world.request('PATCH', first!, { spec: 'Too late' })).toMatchObject({
      status: 409,
      body: { error: { code: 'node.state', hint: expect.stringContaining('worker-1') } },
    })
    expect(await world.request('PATCH', then!, {})).toMatchObject({ status: 400 })
    expect(await world.request('POST', `${then!}/retry`)).toMatchObject({ status: 409 })
    expect(await world.request('POST', `/api/runs/${run.id}/nodes/node_gone/cancel`)).toMatchObject({ status: 404 })

    await world.ok('POST', `${first!}/cancel`)
    await boardBecomes(world, run, { 'Ask first': 'canceled', 'Act wisely': 'blocked' })
    await world.ok('POST', `${then!}/cancel`)
    expect(await statuses(world, run)).toMatchObject({ 'Act wisely': 'canceled' })
    await world.restart()
    await world.ok('POST', `${first!}/retry`)
    await world.ok('POST', `${then!}/retry`)
    const board = await boardBecomes(world, run, { 'Ask first': 'finished', 'Act wisely': 'finished' })
    await atRest(world)
    expect(board.nodes.map(({ worker }) => worker)).toEqual(['worker-1', 'worker-1'])
    const worker = board.workers[0]!.sessionId!
    const mail = await heard(world, { id: worker })
    expect(mail).toHaveLength(3)
    expect(mail[1]).toMatch(
      /Ask first[\s\S]*It is to be done once more\.[\s\S]*It was canceled before: A person called it off\./,
    )
    expect(mail[2]).toMatch(/Act wisely\nand slowly/)
    expect(await world.request('POST', `${first!}/cancel`)).toMatchObject({ status: 409 })
  })
})
