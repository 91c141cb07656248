import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClock } from '../../test/kit/clock.ts'
import { isServing, securityLog } from '../../test/kit/records.ts'
import { createWorld, type World } from '../../test/kit/world.ts'
import { everyRoute } from '../contract/routes/index.ts'

const start = async (world: World, more: object = {}) =>
  (await world.call('POST', '/api/sessions', { body: { agent: 'assistant', ...more } })).json

test('a message with wait is answered by the turn that took it, and its receipt says the same later', async () => {
  const world = await createWorld()
  const session = await start(world)
  const path = `/api/sessions/${session.handle}/messages`
  const { status, json } = await world.call('POST', path, {
    body: { content: 'hello there', wait: 60, clientId: 'one' },
  })
  expect(status).toBe(200)
  expect(json).toMatchObject({ ended: true, end: 'done', sessionId: session.id, reply: expect.stringMatching(/\S/) })
  const later = await world.call('GET', `/api/mail/${json.mailId}?wait=60`)
  expect([later.status, later.json.reply]).toEqual([200, json.reply])

  const again = await world.call('POST', path, { body: { content: 'hello there', clientId: 'one' } })
  expect([again.status, again.json.mailId]).toEqual([202, json.mailId])
  const log = await world.call('GET', path)
  expect(log.json.items.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant'])
  expect((await world.call('GET', `${path}?limit=1`)).json.nextCursor).toBe('1')
  expect((await world.call('GET', `${path}?limit=1&cursor=1`)).json.items[0].seq).toBe(2)
})

test('mail goes to an agent by name and makes its session; nobody is told about as such', async () => {
  const world = await createWorld()
  const sent = await world.call('POST', '/api/mail', { body: { to: 'assistant', content: 'hello', wait: true } })
  expect(sent.json).toMatchObject({ ended: true })
  const waiting = await world.call('GET', `/api/mail?session=${sent.json.session}`)
  expect(waiting.json).toEqual({ items: [] })
  const nobody = await world.call('POST', '/api/mail', { body: { to: 'nobody', content: 'hello' } })
  expect([nobody.status, nobody.json.error.code]).toEqual([404, 'address.unknown'])
  expect((await world.call('GET', '/api/mail/mail_none')).status).toBe(404)
})

test('snapshots carry the position from which the events go on', async () => {
  const world = await createWorld()
  const session = await start(world)
  for (const path of [
    '/api/sessions',
    `/api/sessions/${session.id}`,
    `/api/sessions/${session.id}/messages`,
    '/api/inbox',
  ]) {
    const seq = String((await world.call('GET', path)).headers['troupe-seq'])
    await world.call('PATCH', `/api/sessions/${session.id}`, { body: { title: path } })
    const { json } = await world.call('GET', `/api/events?after=${encodeURIComponent(seq)}`)
    expect(json.items.map(({ data }: { data: unknown }) => data)).toEqual([{ changed: { title: path } }])
  }
})

test('sessions are found by handle, and what is wrong with a ref is said', async () => {
  const world = await createWorld()
  const session = await start(world, { title: 'Plans' })
  expect((await world.call('GET', `/api/sessions/${session.handle}`)).json.id).toBe(session.id)
  const codes = async (ref: string) => {
    const { status, json } = await world.call('GET', `/api/sessions/${encodeURIComponent(ref)}`)
    return [status, json.error.code]
  }
  expect(await codes('ffffffffffff')).toEqual([404, 'session.not_found'])
  expect(await codes("x'; --")).toEqual([400, 'session.bad_ref'])
  expect((await world.call('DELETE', `/api/sessions/${session.handle}`)).json.id).toBe(session.id)
  expect(await codes(session.id)).toEqual([410, 'session.deleted'])
  expect((await world.call('POST', `/api/sessions/${session.id}/messages`, { body: { content: 'hi' } })).status).toBe(
    410,
  )
})

test('lists are filtered and paged', async () => {
  const clock = createClock()
  const world = await createWorld({ clock })
  for (const title of ['one', 'two', 'three']) {
    clock.at += 1000
    await start(world, { title })
  }
  const titles = ({ json }: { json: { items: { title: string }[] } }) => json.items.map(({ title }) => title)
  const first = await world.call('GET', '/api/sessions?limit=2')
  expect(titles(first)).toEqual(['three', 'two'])
  expect(
    titles(await world.call('GET', `/api/sessions?limit=2&cursor=${encodeURIComponent(first.json.nextCursor)}`)),
  ).toEqual(['one'])
  expect(titles(await world.call('GET', '/api/sessions?q=tw'))).toEqual(['two'])
  expect(titles(await world.call('GET', '/api/sessions?agent=coder'))).toEqual([])
  expect((await world.call('GET', '/api/sessions?status=asleep')).json.error.message).toContain('"status"')
})

test('a session is changed, paused, resumed, closed, reopened, forked, cleared and read', async () => {
  const world = await createWorld()
  const { id } = await start(world)
  const act = async (name: string, body: unknown = {}) =>
    (await world.call('POST', `/api/sessions/${id}/${name}`, { body })).json
  await act('messages', { content: 'hello', wait: 60 })
  expect(
    (await world.call('PATCH', `/api/sessions/${id}`, { body: { title: 'New', pinned: true } })).json,
  ).toMatchObject({ title: 'New' })
  expect((await act('pause')).status).toBe('paused')
  expect((await act('resume')).status).toBe('idle')
  expect((await act('close')).status).toBe('closed')
  expect((await act('reopen')).status).toBe('idle')
  expect(await act('cancel')).toMatchObject({ status: 'idle', readSeq: 0 })
  expect((await act('read', { seq: 1 })).readSeq).toBe(1)
  expect(await act('fork', { at: 1, title: 'Fork' })).toMatchObject({ title: 'Fork', messageCount: 1 })
  const [first] = (await world.call('GET', `/api/sessions/${id}/messages`)).json.items
  const message = `/api/sessions/${id}/messages/${first.id}`
  expect((await world.call('PATCH', message, { body: { text: 'hi' } })).json.parts[0].text).toBe('hi')
  expect((await world.call('DELETE', message)).json.deletedAt).toBeTruthy()
  expect((await act('clear')).messageCount).toBe(0)
})

test('what a session is made of can be looked at and taken away as a file', async () => {
  const world = await createWorld({ tools: [] })
  const { id } = await start(world, { title: 'Plans' })
  await world.call('POST', `/api/sessions/${id}/messages`, { body: { content: 'hello', wait: 60 } })
  const get = (name: string) => world.call('GET', `/api/sessions/${id}/${name}`)
  expect((await get('prompt')).json.sections.length).toBeGreaterThan(0)
  expect((await get('tools')).json.items).toEqual([])
  expect((await get('todos')).json).toEqual({ items: [] })
  expect((await get('context')).json.tokens).toBeGreaterThan(0)
  const markdown = await get('export?format=md')
  expect(markdown.headers['content-disposition']).toContain(`${id}.md`)
  expect(markdown.text).toContain('# Plans')
  expect((await get('export?format=jsonl')).text.trim().split('\n')).toHaveLength(2)
})

test('agents are listed with their problems, written, shown and deleted', async () => {
  const world = await createWorld()
  const names = async () =>
    (await world.call('GET', '/api/agents')).json.items.map(({ name }: { name: string }) => name)
  expect(await names()).toContain('assistant')
  const written = await world.call('PUT', '/api/agents/poet', {
    body: { definition: { description: 'Writes' }, prose: { agent: 'Rhyme.' } },
  })
  expect([written.status, written.json.source]).toEqual([200, 'project'])
  expect((await world.call('GET', '/api/agents/poet')).json.prose.agent).toContain('Rhyme.')
  const wrong = await world.call('PUT', '/api/agents/poet', { body: { definition: { temperature: 9 } } })
  expect([wrong.status, wrong.json.error.message]).toEqual([400, expect.stringContaining('temperature')])
  expect((await world.call('DELETE', '/api/agents/poet')).status).toBe(200)
  expect((await world.call('GET', '/api/agents/poet')).json.error.code).toBe('agent.not_found')
  expect((await world.call('DELETE', '/api/agents/assistant')).status).toBe(409)
})

test('settings say where they come from and are written to the file that was named', async () => {
  const world = await createWorld()
  const { json } = await world.call('PATCH', '/api/settings', { body: { changes: { 'limits.maxIterations': 7 } } })
  expect(json.items).toContainEqual(expect.objectContaining({ key: 'limits.maxIterations', value: 7, source: 'home' }))
  const wrong = await world.call('PATCH', '/api/settings', { body: { changes: { 'limits.maxIterations': 'many' } } })
  expect([wrong.status, wrong.json.error.code]).toEqual([400, 'settings.invalid'])
  expect((await world.call('GET', '/api/settings')).json.items).toContainEqual(
    expect.objectContaining({ key: 'limits.maxIterations', value: 7 }),
  )
})

test('trust is shown and set, and leaves a line in the security log', async () => {
  const world = await createWorld()
  const { json } = await world.call('GET', '/api/trust')
  expect(json.trusted).toBe(false)
  await world.call('POST', '/api/trust', { body: { trusted: false } })
  expect(securityLog(world)).toContain('no longer trusted by human')
})

test('models, tools, status and inbox answer', async () => {
  const world = await createWorld({ tools: [] })
  const { json: models } = await world.call('GET', '/api/models')
  expect(models.items).toContainEqual(expect.objectContaining({ name: 'demo/demo', usable: true }))
  expect((await world.call('GET', '/api/tools')).json).toEqual({ items: [] })
  expect((await world.call('GET', '/api/status')).json).toMatchObject({
    project: world.server.core.project.path,
    engine: { running: 0 },
  })
  expect((await world.call('GET', '/api/inbox?status=open')).json).toEqual({ items: [] })
  const unknown = await world.call('POST', '/api/inbox/inbox_none/answer', { body: { answer: 'yes' } })
  expect([unknown.status, unknown.json.error.code]).toEqual([404, 'inbox.not_found'])
  expect((await world.call('POST', '/api/inbox/inbox_none/dismiss')).status).toBe(404)
})

test('a request names its project by header or query; lists may be over all', async () => {
  const world = await createWorld()
  const other = join(world.server.core.home, '..', 'ein größeres %20 projekt')
  mkdirSync(join(other, '.troupe'), { recursive: true })
  const headers = { 'troupe-project': encodeURIComponent(other) }
  const { json } = await world.call('POST', '/api/sessions', { body: { agent: 'assistant', title: 'there' }, headers })
  await start(world, { title: 'here' })
  const titles = async (query: string, more = {}) =>
    (await world.call('GET', `/api/sessions${query}`, more)).json.items
      .map(({ title }: { title: string }) => title)
      .sort()
  expect(await titles('')).toEqual(['here'])
  expect(await titles('', { headers })).toEqual(['there'])
  expect(await titles(`?project=${encodeURIComponent(other)}`)).toEqual(['there'])
  expect(await titles('?project=*')).toEqual(['here', 'there'])
  expect((await world.call('GET', `/api/sessions/${json.id}`)).json.title).toBe('there')
  expect((await world.call('POST', '/api/sessions?project=*', { body: { agent: 'assistant' } })).status).toBe(400)
  expect((await world.call('GET', '/api/agents?project=/no/such/folder')).json.error.code).toBe('project.not_found')
})

test('status and cost are of all projects, or of the one that is named', async () => {
  const world = await createWorld()
  const other = join(world.server.core.home, '..', 'other')
  mkdirSync(join(other, '.troupe'), { recursive: true })
  const at = `project=${encodeURIComponent(other)}`
  const { json: there } = await world.call('POST', `/api/sessions?${at}`, { body: { agent: 'assistant' } })
  await world.call('POST', `/api/sessions/${there.id}/messages`, { body: { content: 'hello', wait: 60 } })
  await start(world)
  const seen = async (query: string) => {
    const { json } = await world.call('GET', `/api/status${query}`)
    return [json.project, json.counts.idle]
  }
  expect(await seen('')).toEqual([world.server.core.project.path, 2])
  expect(await seen('?project=*')).toEqual([world.server.core.project.path, 2])
  expect(await seen(`?${at}`)).toEqual([other, 1])
  expect(await seen(`?project=${encodeURIComponent(world.server.core.project.path)}`)).toEqual([
    world.server.core.project.path,
    1,
  ])
  expect((await world.call('GET', '/api/status?project=/no/such/folder')).json.error.code).toBe('project.not_found')
  const answers = async (query: string) => (await world.call('GET', `/api/cost?by=agent${query}`)).json.items
  expect(await answers('')).toEqual([expect.objectContaining({ key: 'assistant', messages: 1 })])
  expect(await answers(`&${at}`)).toEqual(await answers(''))
  expect(await answers(`&project=${encodeURIComponent(world.server.core.project.path)}`)).toEqual([])
})

test('the status names the database, and for SQLite how durable a commit is', async () => {
  const storeOf = async (world: World) => (await world.call('GET', '/api/status')).json.store
  expect(await storeOf(await createWorld())).toEqual({ kind: 'sqlite', durability: 'process' })
  expect(await storeOf(await createWorld({ store: 'postgres' }))).toEqual({ kind: 'postgres' })
})

test('a backup is a file of the owner alone; a shutdown is passed on', async () => {
  const world = await createWorld()
  const { json } = await world.call('POST', '/api/backup', { body: {} })
  expect(existsSync(json.file)).toBe(true)
  expect(statSync(json.file).mode & 0o777).toBe(0o600)
  expect((await world.call('POST', '/api/shutdown')).json).toEqual({ ok: true })
  await world.server.done
  expect(isServing(world)).toBe(false)
})

test('the API describes every one of its routes', async () => {
  const world = await createWorld()
  const { json, text } = await world.call('GET', '/api/openapi.json')
  const operations = Object.values<Record<string, { summary?: string }>>(json.paths).flatMap((methods) =>
    Object.values(methods),
  )
  expect(operations.filter(({ summary }) => !summary)).toEqual([])
  const refs = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!))
  expect(refs).toContain('Session')
  for (const name of refs) expect(json.components.schemas).toHaveProperty(name)
  expect((await world.call('GET', '/api/docs')).text).toContain('/api/sessions/{ref}/messages')
})

test('the server serves the routes of the contract and no others', async () => {
  const world = await createWorld()
  const { paths } = (await world.call('GET', '/api/openapi.json')).json as { paths: Record<string, object> }
  const named = everyRoute.map(([name]) => name).toSorted()
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.toSorted()).toEqual(named)
  const missing: string[] = []
  for (const name of named) {
    const [method = '', path = ''] = name.split(' ')
    if (name === 'POST /api/shutdown' || name === 'GET /api/events/stream') continue
    const { json } = await world.call(method, path.replaceAll(/\{\w+\}/g, 'none'), { body: {} })
    if (json?.error?.code === 'request.unknown_route') missing.push(name)
  }
  expect(missing).toEqual([])
})

test('a route takes exactly the parameters that stand in its path', () => {
  const inPath = (name: string) => [...name.matchAll(/\{(\w+)\}/g)].map(([, param]) => param)
  for (const [name, { params }] of everyRoute) expect(Object.keys(params?.shape ?? {}), name).toEqual(inPath(name))
})
