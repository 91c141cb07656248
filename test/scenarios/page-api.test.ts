import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentPreview } from '../../src/contract/agent-preview.ts'
import type { Me } from '../../src/contract/me.ts'
import type { Message } from '../../src/contract/messages.ts'
import type { ProjectInfo } from '../../src/contract/projects.ts'
import type { Run } from '../../src/contract/runs.ts'
import type { Welcome } from '../../src/contract/welcome.ts'
import { stores } from '../kit/database.ts'
import { makeFolder, putFile } from '../kit/files.ts'
import { boardBecomes } from '../kit/runs.ts'
import { createWorld, type World } from '../kit/world.ts'

/** A device that came in by a link, as a browser does. */
async function login(world: World, name: string) {
  const { code } = await world.ok<{ code: string }>('POST', '/api/devices/code')
  const { token, device } = await world.ok<{ token: string; device: Me['device'] }>('POST', '/api/login', {
    code,
    name,
  })
  return { headers: { authorization: `Bearer ${token}` }, device }
}

describe.each(stores)('on %s', (store) => {
  test('what one device arranged is there on another and after a restart; the last one counts, and it is bounded', async () => {
    const world = await createWorld({ store })
    const [laptop, phone] = [await login(world, 'laptop'), await login(world, 'phone')]
    const layout = async () => (await world.call('GET', '/api/me/layout', phone)).json
    expect(await layout()).toEqual({ value: {} })
    await world.call('PUT', '/api/me/layout', { ...laptop, body: { value: { theme: 'dark', open: ['a'] } } })
    await world.call('PUT', '/api/me/layout', { ...phone, body: { value: { theme: 'light' } } })
    const huge = { value: { notes: 'n'.repeat(70_000) } }
    const refused = await world.call('PUT', '/api/me/layout', { ...laptop, body: huge })
    expect([refused.status, refused.json.error.message]).toEqual([413, expect.stringContaining('65536')])
    await world.restart()
    expect(await layout()).toEqual({ value: { theme: 'light' }, updatedAt: expect.any(String) })
  })
})

test('a browser learns which device it is, and signs itself out; cookies open nothing and none is set', async () => {
  const world = await createWorld()
  const { headers, device } = await login(world, 'Firefox')
  const me = await world.call('GET', '/api/me', { headers })
  expect(me.json).toMatchObject({ kind: 'device', device: { id: device!.id, name: 'Firefox' } })
  expect(await world.ok<Me>('GET', '/api/me')).toMatchObject({ kind: 'owner' })
  expect(me.headers['set-cookie']).toBeUndefined()
  const cookie = `token=${world.server.token}; troupe=${headers.authorization.slice(7)}`
  expect((await world.call('GET', '/api/me', { headers: { authorization: '', cookie } })).status).toBe(401)
  expect((await world.call('DELETE', `/api/devices/${device!.id}`, { headers })).status).toBe(200)
  expect((await world.call('GET', '/api/me', { headers })).status).toBe(401)
})

test('every project in which something was said is listed behind the one of the server', async () => {
  const world = await createWorld()
  const other = join(makeFolder(), 'garden')
  putFile(join(other, '.troupe', 'settings.json'), {})
  await world.ok('POST', `/api/sessions?project=${encodeURIComponent(other)}`, { agent: 'assistant' })
  const { items } = await world.ok<{ items: ProjectInfo[] }>('GET', '/api/projects')
  expect(items).toEqual([
    expect.objectContaining({ path: world.project, own: true, gone: false }),
    expect.objectContaining({ path: other, name: 'garden', own: false, gone: false }),
  ])
})

test('a newcomer is told what was found, by name and never by value, and one request plays the demo', async () => {
  const bin = makeFolder()
  putFile(join(bin, 'codex'), '')
  chmodSync(join(bin, 'codex'), 0o755)
  const key = 'sk-ant-a-secret-that-is-long'
  const world = await createWorld({ env: { ANTHROPIC_API_KEY: key, PATH: `${bin}:${process.env.PATH}` } })
  const { text, json } = await world.call('GET', '/api/welcome')
  const found: Welcome = json
  expect(found.keys).toEqual([{ provider: 'anthropic', variable: 'ANTHROPIC_API_KEY' }])
  expect(found.programs).toContain('codex')
  expect(text).not.toContain(key)
  expect(text).not.toContain(bin)
  const run = await world.ok<Run>('POST', '/api/runs', { ...found.demo, clientId: 'first-visit' })
  await boardBecomes(world, run, { 'Weigh the options': 'waiting' })

  // Its members and their tasks are found by it, in whatever project.
  await world.session({ agent: 'assistant' })
  const list = async (path: string) =>
    (await world.ok<{ items: { agent: string; worker?: string }[] }>('GET', path)).items
  const members = await list(`/api/sessions?project=*&run=${run.id}`)
  expect(members.map(({ worker = 'coordinator' }) => worker).sort()).toEqual(['Ada', 'Ben', 'Cleo', 'coordinator'])
  expect(await list(`/api/tasks?project=*&run=${run.id}`)).toHaveLength(3)
  expect(await list('/api/tasks?project=*&run=run_none')).toEqual([])
  expect((await world.ok<Run>('POST', '/api/runs', { ...found.demo, clientId: 'first-visit' })).id).toBe(run.id)
})

test('a draft of an agent is looked at before it is written: what is wrong with it, its prompt and its tools', async () => {
  const world = await createWorld()
  const preview = (body: object) => world.ok<AgentPreview>('POST', '/api/agents/poet/preview', body)
  const bad = await preview({ definition: { tools: { allow: 'all' }, colour: 'red' } })
  expect(bad).toMatchObject({ broken: true })
  expect(bad.problems.map(({ field }) => field)).toEqual(expect.arrayContaining(['tools.allow']))
  expect(bad.prompt).toBeUndefined()

  const definition = { description: 'Writes verse', tools: { allow: ['read_file'] } }
  const good = await preview({ definition, prose: { agent: 'You answer in rhyme.' } })
  expect(good.broken).toBe(false)
  expect(good.prompt!.text).toContain('You answer in rhyme.')
  expect(good.prompt!.tokens).toBe(good.prompt!.sections.reduce((sum, { tokens }) => sum + tokens, 0))
  expect(good.tools).toContain('read_file')
  expect(good.tools).not.toContain('write_file')
  expect(good.permissions!.read_file).toMatchObject({ decision: 'allow' })
  const asked = await preview({ definition: { ...definition, permissions: { ask: ['read_file'] } } })
  expect(asked.permissions!.read_file).toEqual({ decision: 'ask', because: expect.stringContaining('read_file') })
  expect((await world.call('GET', '/api/agents/poet')).status).toBe(404)

  // Prose that is not given is that of the files.
  await world.ok('PUT', '/api/agents/poet', { definition, prose: { agent: 'You answer in prose.' } })
  expect((await preview({ definition: {} })).prompt!.text).toContain('You answer in prose.')
})

test('a draft starts no program that it names', async () => {
  const world = await createWorld()
  const started = join(makeFolder(), 'started')
  const mcpServers = { evil: { command: 'touch', args: [started] } }
  const definition = { mcpServers, hooks: { SessionStart: [{ command: `touch ${started}` }] } }
  await world.call('POST', '/api/agents/poet/preview', { body: { definition } })
  await world.call('POST', '/api/agents/poet/preview', { body: { definition: { mcpServers } } })
  expect(existsSync(started)).toBe(false)
})

test('a long log is read from its end, and upwards from there', async () => {
  const world = await createWorld()
  const { id } = await world.session({ agent: 'assistant' })
  for (const said of ['one', 'two', 'three']) await world.say(id, said)
  const seqs = async (query: string) =>
    (
      await world.ok<{ items: Message[]; nextCursor?: string }>('GET', `/api/sessions/${id}/messages?${query}`)
    ).items.map(({ seq }) => seq)
  const all = await seqs('')
  expect(all.length).toBeGreaterThan(5)
  expect(await seqs('newest=true&limit=2')).toEqual(all.slice(-2))
  expect(await seqs(`before=${all.at(-2)}&limit=2`)).toEqual(all.slice(-4, -2))
  expect(await seqs(`before=${all[1]}&limit=50`)).toEqual(all.slice(0, 1))
  expect(await seqs('newest=true&limit=200')).toEqual(all)
})
