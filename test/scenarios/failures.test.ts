import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { builtInTools } from '../../src/tools/index.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

/** Each class of failure, and a word its sentence must have. None is worth trying again by itself. */
const failures = [
  ['auth', 'key'],
  ['bad-request', 'refused'],
  ['context', 'too long'],
  ['not-found', 'does not know'],
  ['broke', 'credit'],
] as const

describe.each(failures)('a vendor that answers with %s', (kind, word) => {
  test('ends the turn in error with a sentence, and the next message goes on', async () => {
    const world = await createWorld()
    world.vendor.reply({ error: { kind } }, { text: 'Better now.' })
    const session = await world.session()
    const reply = await world.say(session.id, 'Hi')
    expect(reply).toMatchObject({ ended: true, end: 'error', reason: expect.stringContaining(word) })
    expect(reply.reason).not.toContain('test-key')
    expect(await world.look(session.id)).toMatchObject({ status: 'error', reason: reply.reason })
    expect(await world.say(session.id, 'Again')).toMatchObject({ end: 'done', reply: 'Better now.' })
    expect((await world.messages(session.id)).map(({ parts }) => textOf(parts))).toEqual(['Hi', 'Again', 'Better now.'])
  })
})

describe.each(storesInTurn(import.meta.filename))('a failing model on %s', (store) => {
  test('is asked again when that may help, and every try is in the record', async () => {
    const world = await createWorld({ store })
    const later = { kind: 'rate-limit', retryAfter: 0 } as const
    world.vendor.reply(
      { error: later },
      { error: { kind: 'overloaded', retryAfter: 0 } },
      { text: 'Third time lucky.' },
    )
    const session = await world.session()
    expect(await world.say(session.id, 'Hi')).toMatchObject({ end: 'done', reply: 'Third time lucky.' })
    const tries = (await world.events(session.id)).filter(({ type }) => type === 'model.retried')
    expect(tries.map(({ data }) => data.attempt)).toEqual([1, 2])
    expect(await world.messages(session.id)).toHaveLength(2)
  })

  test('is asked again after a stream that was cut, and only the whole answer is kept', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'A story that is cut', cut: 0.6 }, { text: 'A whole story.' })
    const session = await world.session()
    expect(await world.say(session.id, 'Tell')).toMatchObject({ reply: 'A whole story.' })
    expect(await world.messages(session.id)).toHaveLength(2)
  })

  test('is given up on after a bounded time and number of tries', async () => {
    const world = await createWorld({ store, provider: { outageSeconds: 3 } })
    world.vendor.script(() => ({ error: { kind: 'server', retryAfter: 0 } }))
    const session = await world.session()
    expect(await world.say(session.id, 'Hi')).toMatchObject({
      end: 'error',
      reason: expect.stringContaining('internal error'),
    })
    expect(world.vendor.requests.length).toBeLessThanOrEqual(5)
  })

  test('can be canceled while it waits to be asked again', async () => {
    const world = await createWorld({ store })
    world.vendor.script(() => ({ error: { kind: 'rate-limit', retryAfter: 50 } }))
    const session = await world.session()
    const mail = await world.send(session.id, 'Hi')
    await world.eventually(async () => (await world.events(session.id)).some(({ type }) => type === 'model.retried'))
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'canceled' })
  })
})

test('a provider that is down ends the turn in error, names the address, and disturbs no other session', async () => {
  const world = await createWorld({
    settings: {
      providers: { gone: { type: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1', outageSeconds: 1 } },
      defaultModel: 'demo/demo',
    },
  })
  const session = await world.session({ model: 'gone/any' })
  const other = await world.session()
  const down = world.say(session.id, 'Hi')
  expect(await world.say(other.id, 'Hi')).toMatchObject({ end: 'done' })
  expect(await down).toMatchObject({ end: 'error', reason: expect.stringContaining('127.0.0.1:9') })
})

test('a model nobody knows ends the turn in error, and another model goes on', async () => {
  const world = await createWorld()
  const session = await world.session({ model: 'nowhere/model' })
  expect(await world.say(session.id, 'Hi')).toMatchObject({ end: 'error', reason: expect.stringContaining('nowhere') })
  await world.ok('PATCH', `/api/sessions/${session.id}`, { model: null })
  expect(await world.say(session.id, 'Again')).toMatchObject({ end: 'done' })
})

test('a broken agent file is reported by file and field; its sessions say so and go on once it is repaired', async () => {
  const world = await createWorld()
  const folder = join(world.project, '.troupe', 'agents', 'poet')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'agent.json'), '{"description": "Writes poems."}')
  const session = await world.session({ agent: 'poet' })
  await world.say(session.id, 'Hi')
  writeFileSync(join(folder, 'agent.json'), '{"description": 7')
  const refused = await world.request('POST', '/api/sessions', { agent: 'poet' })
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { code: 'agent.broken', message: expect.stringContaining('agent.json') } },
  })
  expect(await world.say(session.id, 'Still there?')).toMatchObject({
    end: 'error',
    reason: expect.stringContaining('poet'),
  })
  const { id } = await world.session()
  expect(await world.say(id, 'And you?')).toMatchObject({ end: 'done' })
  const listed = await world.ok<{ items: { name: string; broken: boolean }[] }>('GET', '/api/agents')
  expect(listed.items.find(({ name }) => name === 'poet')).toMatchObject({ broken: true })
  writeFileSync(join(folder, 'agent.json'), '{"description": "Writes poems."}')
  expect(await world.say(session.id, 'Now?')).toMatchObject({ end: 'done' })
  rmSync(folder, { recursive: true })
  expect(await world.say(session.id, 'And now?')).toMatchObject({
    end: 'error',
    reason: expect.stringContaining('no agent "poet"'),
  })
})

test('broken settings of a project are reported by file, and conversations go on', async () => {
  const world = await createWorld()
  const session = await world.session()
  writeFileSync(join(world.project, '.troupe', 'settings.json'), '{"limits": {"maxIterations": "many"')
  expect(await world.say(session.id, 'Hi')).toMatchObject({ end: 'done' })
  const settings = JSON.stringify(await world.ok('GET', '/api/settings'))
  expect(settings).toContain('settings.json')
  expect((await world.request('GET', '/api/health')).status).toBe(200)
})

test('a call that cannot be read is an error for the model, and its turn goes on', async () => {
  const world = await createWorld()
  world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'echo hi' } }] }, { text: 'Never mind.' })
  const session = await world.session({ agent: 'coder' })
  const parked = await world.say(session.id, 'Go')
  await world.server.core.store.write((db) => db.updateTable('calls').set({ input: 'not json' }).execute())
  const [item] = await world.inbox()
  await world.ok('POST', `/api/inbox/${item?.id}/answer`, { decision: 'once' })
  expect(await world.settled(parked.mailId)).toMatchObject({ end: 'done', reply: 'Never mind.' })
  expect(await world.results(session.id)).toEqual([expect.stringContaining('bash')])
})

test('a bug that breaks a turn ends it in error; the next message and all other sessions go on', async () => {
  const broken = (): never => {
    throw new Error('a bug')
  }
  const tools = builtInTools.map((tool) => (tool.name === 'list_dir' ? { ...tool, touches: broken } : tool))
  const world = await createWorld({ tools })
  world.vendor.reply({ calls: [{ name: 'list_dir', input: { path: '.' } }] })
  const session = await world.session({ agent: 'coder' })
  expect(await world.say(session.id, 'Go')).toMatchObject({
    end: 'error',
    reason: expect.stringContaining('Send a message'),
  })
  expect(await world.say(session.id, 'Again')).toMatchObject({ end: 'done' })
  expect(await world.say((await world.session()).id, 'And you?')).toMatchObject({ end: 'done' })
})
