import { describe, expect, test } from 'vitest'
import type { Receipt } from '../../src/contract/mail.ts'
import type { Run } from '../../src/contract/runs.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { atRest, heard, notices, sessions, tasks } from '../kit/records.ts'
import {
  boardBecomes,
  boardOf,
  finishRun,
  nodesIn,
  runBecomes,
  stage,
  startRun,
  statuses,
  takeOn,
  workNode,
} from '../kit/runs.ts'
import { askPerson, hasMail, parts } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld } from '../kit/world.ts'

/** A coordinator that says "Noted." to news and ends the run once they speak of this. */
const untilTold =
  (word: string, summary: string) =>
  (request: SeenRequest): Reply =>
    hasMail(request) && request.lastUserText.includes(word)
      ? { calls: [finishRun(summary)] }
      : { text: hasMail(request) ? 'Noted.' : 'Going on.' }

const resultsIn = ({ messages }: SeenRequest): string[] =>
  messages.flatMap(({ results }) => results.map(({ text }) => text))

describe.each(stores)('a run on %s', (store) => {
  test('nodes begin when what they depend on has finished, workers are reused, the coordinator is told of each once and ends the run', async () => {
    const world = await createWorld({ store })
    parts(world, {
      'Build a house': [
        { calls: [workNode('Dig the hole\nTwo metres deep'), workNode('Buy the wood')] },
        (request) => ({ calls: [workNode('Raise the walls', { dependsOn: nodesIn(request) })] }),
        { text: 'Given.' },
        untilTold('Raise the walls', 'A house stands.'),
      ],
      'Dig the hole': [{ text: 'Dug, it is wet.' }, { text: 'Raised.' }],
      'Buy the wood': [{ text: 'Bought, it is dry.' }, { text: 'Raised.' }],
    })
    const run = await startRun(world, 'Build a house\nof wood', { clientId: 'house' })
    expect(await startRun(world, 'Build a house\nof wood', { clientId: 'house' })).toMatchObject({ id: run.id })
    await world.eventually(
      async () => (await world.ok<Run>('GET', `/api/runs/${run.id}`)).status === 'finished' || undefined,
    )
    await atRest(world)

    const { nodes, workers, edges, run: now } = await boardOf(world, run)
    expect(now).toMatchObject({
      title: 'Build a house',
      summary: 'A house stands.',
      nodes: { finished: 3 },
      workers: { retired: 2 },
    })
    expect(nodes.map(({ title, status, summary }) => [title, status, summary])).toEqual([
      ['Dig the hole', 'finished', 'Dug, it is wet.'],
      ['Buy the wood', 'finished', 'Bought, it is dry.'],
      ['Raise the walls', 'finished', 'Raised.'],
    ])
    const [dig, buy, raise] = nodes
    expect(edges).toEqual([dig, buy].map((node) => ({ from: node!.id, to: raise!.id, kind: 'depends' })))
    expect(raise!.startedAt! >= dig!.finishedAt! && raise!.startedAt! >= buy!.finishedAt!).toBe(true)

    const again = workers.find(({ name }) => name === raise!.worker)!
    const mail = await heard(world, { id: again.sessionId! })
    expect(mail).toHaveLength(2)
    expect(mail[1]).toContain('Raise the walls')
    expect(mail[1]).toContain('Dug, it is wet.')
    expect(mail[1]).toContain('Bought, it is dry.')
    // The worker was closed with the run, not with its first node.
    expect(await world.look(again.sessionId!)).toMatchObject({
      mode: 'task',
      status: 'closed',
      parentSessionId: run.sessionId,
    })
    const done = (await tasks(world)).filter(({ session_id }) => session_id === again.sessionId)
    expect(done.map(({ status }) => status)).toEqual(['finished', 'finished'])
    // Each task has what its own turn used; what the worker learned between them belongs to none.
    const [first, second] = done.map(({ tokens_input }) => tokens_input)
    expect(first! + second!).toBeLessThanOrEqual((await world.look(again.sessionId!)).tokens.input)
    expect(second).toBeGreaterThan(0)

    const told = (await notices(world, run.sessionId)).join('\n')
    for (const { id } of nodes) expect(told.split(id)).toHaveLength(2)
    const events = (await world.events()).filter(({ nodeId }) => nodeId === raise!.id).map(({ type }) => type)
    expect(events.filter((type) => type.startsWith('node.'))).toEqual([
      'node.created',
      'node.assigned',
      'node.started',
      'node.publishing',
      'node.published',
      'node.finished',
    ])
    expect(events).toContain('model.called')
    expect(await sessions(world)).toHaveLength(3)
  })

  test('a node that is canceled blocks what depends on it; a stopped run ends what is open, and nothing begins there again', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Plan: [
        { calls: [workNode('Ask first'), workNode('Also ask')] },
        (request) => ({ calls: [workNode('Then act', { dependsOn: nodesIn(request).slice(0, 1) })] }),
        { text: 'Noted.' },
      ],
      ask: [{ calls: [askPerson] }],
      Ask: [{ calls: [askPerson] }],
    })
    const run = await startRun(world, 'Plan')
    const board = await boardBecomes(world, run, {
      'Ask first': 'waiting',
      'Also ask': 'waiting',
      'Then act': 'pending',
    })
    expect(board.workers.map(({ status }) => status)).toEqual(['waiting', 'waiting'])
    await world.restart()
    await world.ok('DELETE', `/api/tasks/${board.nodes[0]!.taskId}`)
    await boardBecomes(world, run, { 'Ask first': 'canceled', 'Then act': 'blocked' })
    await atRest(world)
    const told = await notices(world, run.sessionId)
    expect(told.join('\n')).toMatch(/"Ask first" \(worker-1\) canceled/)
    expect(told.join('\n')).toMatch(/"Then act" blocked: It depends on "Ask first"/)

    expect(await world.ok('POST', `/api/runs/${run.id}/stop`)).toMatchObject({ status: 'stopped' })
    await atRest(world)
    expect(await statuses(world, run)).toEqual({
      'Ask first': 'canceled',
      'Also ask': 'canceled',
      'Then act': 'canceled',
    })
    expect(await world.inbox()).toEqual([])
    expect(await notices(world, run.sessionId)).toEqual(told)
    expect(await world.request('POST', `/api/runs/${run.id}/stop`)).toMatchObject({
      status: 409,
      body: { error: { code: 'run.state' } },
    })
    // Its coordinator still answers, without the tools of a run.
    await world.say(run.sessionId, 'And now?')
    expect(world.vendor.requests.at(-1)!.tools).not.toContain('create_work_node')
  })
})

describe.each(stores)('a stage on %s', (store) => {
  test('its nodes are told of once, together, when all have ended; what is made meanwhile joins it', async () => {
    const world = await createWorld({ store })
    const started = Promise.withResolvers<void>()
    const names = Array.from({ length: 8 }, (_, at) => `Piece ${at}`)
    parts(world, {
      Goal: [
        { calls: names.map((name) => workNode(name)) },
        (request) => ({
          calls: [stage('First', nodesIn(request)), workNode('Late piece'), stage('Second', nodesIn(request))],
        }),
        () => {
          started.resolve()
          return { text: 'I wait.' }
        },
        { calls: [{ name: 'reconvene', input: { assessment: 'All good.' } }] },
        { calls: [finishRun('Done.')] },
        { text: 'Over.' },
      ],
      // Nobody is done before the stage has begun.
      iece: [{ text: 'Made.', delay: started.promise }],
    })
    const run = await startRun(world, 'Goal')
    await world.eventually(
      async () => (await world.ok<Run>('GET', `/api/runs/${run.id}`)).status === 'finished' || undefined,
    )
    await atRest(world)
    const { nodes, stages } = await boardOf(world, run)
    expect(stages).toMatchObject([{ name: 'First', status: 'completed', assessment: 'All good.' }])
    expect(nodes.map(({ status, stageId }) => [status, stageId])).toEqual(
      [...names, 'late'].map(() => ['finished', stages[0]!.id]),
    )
    const told = await notices(world, run.sessionId)
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('The stage "First" has come to its end: 9 of 9 nodes have ended.')
    for (const { id } of nodes) expect(told[0]!.split(id)).toHaveLength(2)
    expect(JSON.stringify(await world.results(run.sessionId))).toContain('there is one at a time')
    const types = (await world.events()).map(({ type }) => type).filter((type) => type.startsWith('stage.'))
    expect(types).toEqual(['stage.started', 'stage.reconvened', 'stage.completed'])
  })

  test('where any result is enough it comes together with the first; the others go on, and are told of by themselves', async () => {
    const world = await createWorld({ store })
    const [started, assessed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const resolving =
      ({ resolve }: PromiseWithResolvers<void>, reply: Reply) =>
      (): Reply => {
        resolve()
        return reply
      }
    parts(world, {
      Goal: [
        { calls: [workNode('Quick'), workNode('Slow')] },
        (request) => ({ calls: [stage('First', nodesIn(request), { checkpointPolicy: 'any' })] }),
        resolving(started, { text: 'I wait.' }),
        { calls: [{ name: 'reconvene', input: { assessment: 'Enough.' } }] },
        resolving(assessed, { text: 'One goes on.' }),
        { calls: [finishRun('Done.')] },
        { text: 'Over.' },
      ],
      Quick: [{ text: 'Made.', delay: started.promise }],
      Slow: [{ text: 'Made slowly.', delay: assessed.promise }],
    })
    const run = await startRun(world, 'Goal')
    await runBecomes(world, run, 'finished')
    await atRest(world)
    expect(await notices(world, run.sessionId)).toEqual([
      expect.stringMatching(/"First" has come to its end: 1 of 2 nodes have ended[\s\S]*"Slow" \([^)]*\) processing/),
      expect.stringMatching(/^[^"]*"Slow" \([^)]*\) finished: Made slowly\.$/),
    ])
    const { nodes, stages } = await boardOf(world, run)
    expect(stages).toMatchObject([{ status: 'completed', assessment: 'Enough.' }])
    expect(nodes.map(({ status }) => status)).toEqual(['finished', 'finished'])
  })
})

describe.each(storesInTurn(import.meta.filename))('nodes on %s', (store) => {
  test('a worker makes nodes below its own, waits without a place for itself, and is told once when all have ended', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentWorkers: 1 } } })
    const refused: unknown[] = []
    parts(world, {
      Goal: [
        { calls: [takeOn('Ann'), workNode('Big', { worker: 'Ann' })] },
        { text: 'Given.' },
        untilTold('Big', 'All.'),
      ],
      // One worker after the other: both are done in the same session.
      'Left half': [{ text: 'Left is done.' }, { text: 'Right is done.' }],
      Big: [
        { calls: [workNode('Left half'), workNode('Right half')] },
        (request) => {
          const own = /node_[0-9a-f]+/.exec(request.messages.find(({ role }) => role === 'user')!.text)![0]
          return {
            calls: [
              workNode('Circle', { dependsOn: [own] }),
              workNode('Myself', { worker: 'Ann' }),
              workNode('Lost', { dependsOn: ['node_gone'] }),
            ],
          }
        },
        (request) => {
          refused.push(...resultsIn(request).slice(2))
          return { text: 'I wait.' }
        },
        { text: 'Put together.' },
      ],
    })
    const run = await startRun(world, 'Goal')
    await world.eventually(
      async () => (await world.ok<Run>('GET', `/api/runs/${run.id}`)).status === 'finished' || undefined,
    )
    await atRest(world)
    const { nodes } = await boardOf(world, run)
    expect(nodes.map(({ title, status, worker }) => [title, status, worker])).toEqual([
      ['Big', 'finished', 'Ann'],
      ['Left half', 'finished', 'worker-1'],
      ['Right half', 'finished', 'worker-1'],
    ])
    expect(nodes[0]).toMatchObject({ summary: 'Put together.' })
    expect(nodes.slice(1).map(({ parentNodeId }) => parentNodeId)).toEqual([nodes[0]!.id, nodes[0]!.id])
    expect(refused).toEqual([
      expect.stringMatching(/would wait for itself: "Big" → "Circle" → "Big"/),
      expect.stringContaining('Ann works on a node above this one'),
      expect.stringContaining('this run has no node "node_gone"'),
    ])
    const big = (await tasks(world)).find(({ node_id }) => node_id === nodes[0]!.id)!
    const told = await notices(world, big.session_id)
    expect(told).toHaveLength(2)
    expect(told[1]).toMatch(/Left is done\.[\s\S]*Right is done\./)
    expect((await notices(world, run.sessionId)).join()).not.toContain('Left half')
  })

  test('workers have names of their own, and whoever writes to the agent does not talk into the run', async () => {
    const world = await createWorld({ store })
    const results: string[] = []
    parts(world, {
      Goal: [
        {
          calls: [workNode('One'), takeOn('session'), takeOn('Bob', { agent: 'writer' }), takeOn('bob')],
        },
        (request) => {
          results.push(...resultsIn(request))
          return { text: 'Noted.' }
        },
        { text: 'Noted.' },
      ],
    })
    const run = await startRun(world, 'Goal')
    await boardBecomes(world, run, { One: 'finished' })
    await atRest(world)
    expect(results.slice(1)).toEqual([
      expect.stringContaining('name: "session" cannot be the name of a worker'),
      expect.stringContaining('"worker":"Bob"'),
      expect.stringContaining('has a worker called "bob" already'),
    ])
    expect(await world.request('GET', '/api/runs/run_gone')).toMatchObject({ status: 404 })
    expect(await world.request('GET', `/api/runs/${run.id}/nodes/node_gone`)).toMatchObject({ status: 404 })
    const { items } = await world.ok<{ items: Run[] }>('GET', '/api/runs?status=waiting')
    expect(items.map(({ id }) => id)).toEqual([run.id])
    const mail = await world.ok<Receipt>('POST', '/api/mail', { to: 'coordinator', content: 'Hello' })
    expect(mail.sessionId).not.toBe(run.sessionId)
  })

  test('a node that recorded how far it is holds up no stage, and a stage ends with the turn of a coordinator that was told', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Goal: [
        { calls: [workNode('Slow')] },
        (request) => ({ calls: [stage('Only', nodesIn(request))] }),
        { text: 'Noted.' },
      ],
      Slow: [{ calls: [{ name: 'checkpoint', input: { summary: 'Half of it is there.' } }] }, { calls: [askPerson] }],
    })
    const run = await startRun(world, 'Goal')
    const board = await world.eventually(async () => {
      const now = await boardOf(world, run)
      return now.stages[0]?.status === 'completed' && now.nodes[0]?.status === 'waiting' && now
    })
    expect(board.nodes[0]).toMatchObject({ summary: 'Half of it is there.' })
    await atRest(world)
    expect(await notices(world, run.sessionId)).toEqual([expect.stringMatching(/0 of 1 nodes have ended[\s\S]*"Slow"/)])
  })
})
