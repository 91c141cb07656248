import { expect, test } from 'vitest'
import { stores } from '../kit/database.ts'
import { ask } from '../kit/http.ts'
import { heard, isServing } from '../kit/records.ts'
import { createWorld } from '../kit/world.ts'

test('a body that is not declared as JSON is refused, also where no body is needed', async () => {
  const world = await createWorld()
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/json',
  ]
  for (const path of ['/api/sessions', '/api/devices/code', '/api/login', '/api/shutdown']) {
    for (const type of types) {
      const answer = await world.call('POST', path, {
        body: '{"agent":"assistant"}',
        headers: { 'content-type': type },
      })
      expect([path, type, answer.status, answer.json.error.code]).toEqual([path, type, 415, 'request.not_json'])
    }
    const untyped = await ask(
      { port: world.port, path, method: 'POST', headers: { authorization: `Bearer ${world.server.token}` } },
      '{"agent":"assistant"}',
    )
    expect(untyped.status).toBe(415)
  }
  expect(isServing(world)).toBe(true)
  expect((await world.call('GET', '/api/sessions')).json.items).toEqual([])
})

test('an oversized body is refused before it has been read whole, with and without a declared length', async () => {
  const world = await createWorld()
  const headers = { authorization: `Bearer ${world.server.token}`, 'content-type': 'application/json' }
  const declared = { ...headers, 'content-length': String(2 * 1024 * 1024) }
  const early = await ask(
    { port: world.port, path: '/api/sessions', method: 'POST', headers: declared },
    undefined,
    (request) => request.write('{'),
  )
  expect([early.status, early.json.error.code]).toEqual([413, 'request.too_large'])

  const chunked = { ...headers, 'transfer-encoding': 'chunked' }
  const endless = await ask(
    { port: world.port, path: '/api/sessions', method: 'POST', headers: chunked },
    undefined,
    (request) => {
      for (let sent = 0; sent < 20; sent++) request.write('x'.repeat(64 * 1024))
    },
  )
  expect(endless.status).toBe(413)
})

test('broken, deep and misshapen bodies are answered with the field and the way out', async () => {
  const world = await createWorld()
  const post = (body: unknown) => world.call('POST', '/api/sessions', { body })
  const broken = await post('{"agent":')
  expect([broken.status, broken.json.error.code]).toEqual([400, 'request.invalid'])
  expect((await post('')).status).toBe(400)
  expect((await post('null')).status).toBe(400)
  const deep = await post(`{"agent":"assistant","attributes":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`)
  expect([deep.status, deep.json.error.message]).toEqual([400, expect.stringContaining('64 levels')])
  const missing = await post({ mode: 'chat' })
  expect(missing.json.error.message).toContain('"agent"')
  const unknown = await post({ agent: 'assistant', surprise: true })
  expect([unknown.status, unknown.json.error.message]).toEqual([400, expect.stringContaining('surprise')])
  const query = await world.call('GET', '/api/sessions?limit=many')
  expect([query.status, query.json.error.message]).toEqual([400, expect.stringContaining('"limit"')])
  expect((await world.call('GET', '/api/sessions')).json.items).toEqual([])
})

test('unknown routes and wrong methods are 404 in the common shape', async () => {
  const world = await createWorld()
  for (const [method, path] of [
    ['GET', '/api/nope'],
    ['PUT', '/api/sessions'],
    ['POST', '/nope'],
    ['GET', '/assets/nope.js'],
    ['GET', '/api/../api/nope'],
  ] as const) {
    const answer = await world.call(method, path)
    expect([answer.status, answer.json.error.code]).toEqual([404, 'request.unknown_route'])
  }
})

test('where no body is needed, an empty one is none, and a broken one is refused before anything happens', async () => {
  const world = await createWorld()
  const { id } = (await world.call('POST', '/api/sessions', { body: { agent: 'assistant' } })).json
  const paused = await world.call('POST', `/api/sessions/${id}/pause`, { body: '{"agent":' })
  expect([paused.status, paused.json.error.hint]).toEqual([400, expect.stringContaining('leave it out')])
  expect((await world.call('GET', `/api/sessions/${id}`)).json.status).toBe('idle')
  expect((await world.call('POST', `/api/sessions/${id}/fork`, { body: '' })).status).toBe(200)
})

test.each(stores)('a NUL in a text or an address is refused on %s, whatever it is for', async (store) => {
  const world = await createWorld({ store })
  const { id } = await world.session()
  const refused = { error: { code: 'request.invalid', message: expect.stringContaining('NUL') } }
  const input = { prompt: 'Dig' }
  for (const [path, body] of [
    ['/api/tasks', { agent: 'writer', input: { prompt: 'a\0b' } }],
    ['/api/tasks', { agent: 'writer', input, clientId: '\0' }],
    [`/api/sessions/${id}/messages`, { content: '\\\0' }],
  ] as const)
    expect(await world.request('POST', path, body)).toMatchObject({ status: 400, body: refused })
  for (const path of ['/api/tasks/%00', '/api/tasks?agent=%00', '/api/why/%00', '/api/sessions/%00/messages'])
    expect(await world.request('GET', path)).toMatchObject({ status: 400, body: refused })
  await world.say(id, 'What is \\u0000?')
  expect(await heard(world, { id })).toEqual(['What is \\u0000?'])
})
