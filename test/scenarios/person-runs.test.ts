import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { leaveErrand, transact } from '../../src/core/base/index.ts'
import { createClock } from '../kit/clock.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { atRest } from '../kit/records.ts'
import { boardBecomes, nodesIn, resultsIn, runBecomes, stage, startRun, untilTold, workNode } from '../kit/runs.ts'
import { nap, parts, spawn } from '../kit/script.ts'
import { MINUTE, pass } from '../kit/triggers.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const choose = { name: 'ask_human', input: { question: 'Red or green?', options: ['red', 'green'] } }
const notices = async (world: World) => (await world.inbox()).filter(({ kind }) => kind === 'notice')

describe.each(storesInTurn(import.meta.filename))('a person with a run on %s', (store) => {
  test('says once for all who work for it what becomes of questions that nobody answers', async () => {
    const world = await createWorld({ store })
    parts(world, {
      'Build it': [{ calls: [workNode('Paint the wall')] }, untilTold('Paint the wall', 'Built.')],
      'Paint the wall': [{ calls: [choose] }, { text: 'Painted.' }],
    })
    const run = await startRun(world, 'Build it', { questions: 'first' })
    await runBecomes(world, run, 'finished')
    const [item] = (await world.ok<{ items: object[] }>('GET', '/api/inbox')).items
    expect(item).toMatchObject({ kind: 'question', status: 'answered', answer: { answer: 'red' } })
  })

  test('who leaves it alone is asked nothing by those who work for it, at any depth: the settings decide', async () => {
    const world = await createWorld({
      store,
      settings: { permissions: { unattended: 'deny' }, questions: { unattended: 'first' } },
    })
    const make = { calls: [{ name: 'bash', input: { command: 'make all' } }] }
    parts(world, {
      'Build it': [{ calls: [workNode('Paint the wall')] }, untilTold('Paint the wall', 'Built.')],
      'Paint the wall': [make, { calls: [choose] }, { calls: [spawn('coder', 'Deeper')] }, { text: 'Painted.' }],
      Deeper: [make, { calls: [choose] }, { text: 'Deep.' }],
    })
    const run = await startRun(world, 'Build it', { unattended: 'settings' })
    await runBecomes(world, run, 'finished')
    const { items } = await world.ok<{ items: object[] }>('GET', '/api/inbox')
    const byFirst = { kind: 'question', status: 'answered', answer: { answer: 'red' } }
    expect(items).toMatchObject([byFirst, byFirst])
    const refused = world.vendor.requests
      .filter((request) => resultsIn(request).some((text) => text.includes('Nobody is there to approve this')))
      .map(({ messages }) => messages.find(({ role }) => role === 'user')!.text)
    // The conversation goes on after the run, and there the person is asked.
    await atRest(world)
    const { unattended, questions } = await world.look(run.sessionId)
    expect([unattended, questions]).toEqual([undefined, undefined])
    expect(['Paint the wall', 'Deeper'].filter((who) => refused.some((text) => text.includes(who)))).toHaveLength(2)
  })

  test('pauses it with everything and lets it go on so, while one that was paused by itself stays paused', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      'Build it': [{ calls: [workNode('Paint'), workNode('Dry', {})] }, untilTold('Dry', 'Built.')],
      Paint: [{ calls: [{ name: 'todo_read', input: {} }], delay: gate.promise }, { text: 'Painted.' }],
      Dry: [{ calls: [{ name: 'todo_read', input: {} }], delay: gate.promise }, { text: 'Dried.' }],
      'Other goal': [{ text: 'Later.' }],
    })
    const run = await startRun(world, 'Build it')
    await boardBecomes(world, run, { Paint: 'processing', Dry: 'processing' })
    const other = await startRun(world, 'Other goal')
    await world.reaches(other.sessionId, 'idle')
    await world.ok('POST', `/api/runs/${other.id}/pause`)
    await world.ok('POST', '/api/pause')
    gate.resolve()
    const paused = await world.eventually(async () => {
      const { items } = await world.ok<{ items: { runId?: string; status: string; worker?: string; id: string }[] }>(
        'GET',
        '/api/sessions?limit=50',
      )
      const workers = items.filter(({ runId, worker }) => runId === run.id && worker !== undefined)
      return workers.length === 2 && workers.every(({ status }) => status === 'paused') && workers
    })
    const before = world.vendor.requests.length
    const refused = await world.request('POST', `/api/sessions/${paused[0]!.id}/resume`)
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('Everything is') } },
    })
    expect((await world.ok<{ text: string }>('GET', `/api/why/${run.id}`)).text).toContain('everything is paused')
    expect(await world.ok('GET', '/api/status')).toMatchObject({
      pausedRuns: 1,
      presence: { status: 'available', pausedSince: expect.any(String) },
    })
    expect(world.vendor.requests).toHaveLength(before)
    await world.ok('POST', '/api/resume')
    await runBecomes(world, run, 'finished')
    expect(await world.ok('GET', `/api/runs/${other.id}`)).toMatchObject({ status: 'paused' })
  })
})

describe.each(stores)('a person on %s', (store) => {
  test('stops a run with all who work for it, at any depth: every request is closed, and none follows', async () => {
    const world = await createWorld({ store })
    let closed = 0
    const hangs = { text: 'Never', hang: true, gone: () => (closed += 1) } as const
    parts(world, {
      'Build it': [{ calls: ['Paint', 'Dry', 'Sell'].map((task) => workNode(task)) }, hangs],
      Paint: [{ calls: [spawn('writer', 'Deeper')] }, { text: 'Painted.' }],
      Deeper: [hangs],
      Dry: [hangs],
      Sell: [hangs],
    })
    const run = await startRun(world, 'Build it')
    await world.eventually(async () => world.vendor.requests.length === 6)
    await world.ok('POST', `/api/sessions/${run.sessionId}/cancel?tree=true`)
    await world.eventually(async () => closed === 4)
    await atRest(world)
    expect(world.vendor.requests).toHaveLength(6)
    expect(await runBecomes(world, run, 'stopped')).toMatchObject({ reason: 'A person stopped it.' })
  })
})

describe.each(storesInTurn(import.meta.filename))('a person with a run on %s', (store) => {
  test('who pauses it pauses its members, and nobody who has left it meanwhile', async () => {
    const world = await createWorld({ store })
    parts(world, { 'Build it': [{ text: 'Waiting.' }], Hello: [{ text: 'Hi.' }] })
    const run = await startRun(world, 'Build it')
    await world.reaches(run.sessionId, 'idle')
    const other = await world.session()
    await world.ok('POST', `/api/runs/${run.id}/pause`)
    await world.reaches(run.sessionId, 'paused')
    const { core } = world.server
    const steers = () => core.store.read.selectFrom('timers').select('id').where('kind', '=', 'steer').execute()
    await transact(core, 'test', (tx) => leaveErrand(tx, { kind: 'steer', ref: run.id, sessionId: other.id }))
    core.alarm(0)
    await world.eventually(async () => (await steers()).length === 0)
    expect(await world.look(other.id)).toMatchObject({ status: 'idle' })
    expect(await world.say(other.id, 'Hello')).toMatchObject({ reply: 'Hi.' })
  })

  test('is told that a stage did not keep its contract, with the run in its lineage; of several, in one line', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const team = (task: string, name: string) => [
      { calls: [workNode(task)] },
      (request: SeenRequest) => ({ calls: [stage(name, nodesIn(request), { timeoutSeconds: 60 })] }),
      { text: 'Waiting.' },
    ]
    parts(world, {
      'Build it': team('Paint', 'First'),
      'Sell it': team('Pack', 'Other'),
      Paint: [{ calls: [nap] }, { text: 'Painted.' }],
      Pack: [{ calls: [nap] }, { text: 'Packed.' }],
    })
    const late = async (goal: string, task: string, times: number) => {
      const run = await startRun(world, goal)
      await boardBecomes(world, run, { [task]: 'waiting' })
      await world.reaches(run.sessionId, 'idle')
      pass(world, clock, 2 * MINUTE)
      const told = await world.eventually(async () => {
        const found = await notices(world)
        return found.some((item) => (item.times ?? 1) === times) && found
      })
      return { run, told }
    }
    const first = await late('Build it', 'Paint', 1)
    expect(first.told).toMatchObject([
      {
        title: 'The stage "First" of the run "Build it" did not keep its contract',
        body: expect.stringContaining('0 of 1 nodes'),
        lineage: [{ kind: 'run', id: first.run.id }, { kind: 'session' }],
      },
    ])
    const second = await late('Sell it', 'Pack', 2)
    expect(second.told).toMatchObject([
      {
        title: 'The stage "Other" of the run "Sell it" did not keep its contract (2 of the kind)',
        body: expect.stringContaining('- The stage "First" of the run "Build it"'),
        lineage: [
          { kind: 'run', id: second.run.id },
          { kind: 'session', id: second.run.sessionId },
        ],
      },
    ])
  })
})

test('a project whose acting files change after it was trusted is told of once for each change, until the person decides', async () => {
  const world = await createWorld()
  parts(world, { Hello: [{ text: 'Hi.' }] })
  const put = (allow: string) => {
    mkdirSync(join(world.project, '.troupe'), { recursive: true })
    writeFileSync(join(world.project, '.troupe/settings.json'), JSON.stringify({ permissions: { allow: [allow] } }))
  }
  put('bash(ls)')
  await world.ok('POST', '/api/trust', { trusted: true })
  const session = await world.session()
  await world.say(session.id, 'Hello')
  expect(await notices(world)).toEqual([])
  put('bash')
  await world.say(session.id, 'Hello')
  await world.say(session.id, 'Hello')
  const [first, ...more] = await notices(world)
  expect(more).toEqual([])
  expect(first).toMatchObject({
    title: 'The project is not trusted any more: what acts in it has changed',
    body: expect.stringContaining('.troupe/settings.json: permissions.allow changed'),
  })
  put('*')
  await world.say(session.id, 'Hello')
  expect((await notices(world)).map(({ id }) => id)).not.toContain(first!.id)
  expect(await notices(world)).toHaveLength(1)
  await world.ok('POST', '/api/trust', { trusted: true })
  expect(await notices(world)).toEqual([])
})
