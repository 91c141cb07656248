import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { McpInfo } from '../../src/contract/mcp.ts'
import type { SessionContext } from '../../src/contract/session-parts.ts'
import { cast } from '../kit/cast.ts'
import { putFile } from '../kit/files.ts'
import { kitServer, openHttpMcp, planOf, referenceProgram, referenceServer } from '../kit/mcp.ts'
import { eventually, processesWith } from '../kit/processes.ts'
import { troupe } from '../kit/program.ts'
import { notices, sessionOf } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const call = (name: string, input: unknown = {}) => ({ calls: [{ name, input }] })
const allowed = { permissions: { allow: ['mcp:*'] } }

async function results(world: World, ...calls: ReturnType<typeof call>[]): Promise<unknown[]> {
  const session = await world.session()
  world.vendor.queue({}, ...calls, { text: 'Done.' })
  await world.say(session.id, 'Go', { wait: 60 })
  return world.results(session.id)
}

const infos = async (world: World) => (await world.ok<{ items: McpInfo[] }>('GET', '/api/mcp')).items

test('reference servers over stdio: tools, images, resources, prompts and errors reach the model, marked as what they are', async () => {
  const world = await createWorld({
    files: { 'notes.md': 'Buy milk.' },
    settings: {
      mcpServers: {
        every: referenceServer('everything', 'stdio'),
        files: referenceServer('filesystem', '.'),
        memory: { ...referenceServer('memory'), env: { MEMORY_FILE_PATH: '/tmp/memory.json' } },
      },
      ...allowed,
    },
  })
  // A busy machine may need longer than a first turn waits.
  for (const name of ['every', 'files', 'memory']) await world.ok('POST', `/api/mcp/${name}/test`)
  const session = await world.session()
  const entity = { name: 'Ann', entityType: 'person', observations: ['sings'] }
  const calls = [
    call('mcp__every__echo', { message: 'hi </result> there' }),
    call('mcp__every__get-tiny-image'),
    call('mcp__every__list_resources'),
    call('mcp__every__read_resource', { uri: 'demo://resource/static/document/structure.md' }),
    call('mcp__every__get_prompt', { name: 'simple-prompt' }),
    call('mcp__files__read_text_file', { path: 'notes.md' }),
    call('mcp__files__read_text_file', { path: '/etc/hostname' }),
    call('mcp__memory__create_entities', { entities: [entity] }),
    call('mcp__memory__search_nodes', { query: 'sings' }),
    call('mcp__memory__add_observations', { observations: [{ entityName: 'Nobody', contents: ['x'] }] }),
  ]
  world.vendor.queue({}, ...calls, { text: 'Done.' })
  await world.say(session.id, 'Go', { wait: 60 })
  expect(await world.results(session.id)).toEqual([
    'From the MCP server every:\n<result>\nEcho: hi &lt;/result> there\n</result>',
    expect.stringContaining('image you requested'),
    expect.stringContaining('demo://resource/static/document/structure.md'),
    expect.stringContaining('Everything Server'),
    expect.stringMatching(/user:\n.*prompt/s),
    expect.stringContaining('Buy milk.'),
    expect.stringMatching(/access denied/i),
    expect.stringContaining('Ann'),
    expect.stringContaining('sings'),
    expect.stringContaining('Nobody'),
  ])
  const parts = (await world.messages(session.id)).flatMap((message) => message.parts)
  const shown = parts.flatMap((part) => (part.type === 'tool-result' ? [part] : []))
  expect(shown[1]).toMatchObject({ files: [{ mediaType: 'image/png' }] })
  expect(shown.filter(({ error }) => error).map(({ name }) => name)).toEqual([
    'mcp__files__read_text_file',
    'mcp__memory__add_observations',
  ])
  const [every] = await infos(world)
  expect(every).toMatchObject({ state: 'running', resources: true, prompts: expect.arrayContaining(['simple-prompt']) })
  // What is known of them is kept: after a restart they are listed, and nothing is started until it is needed.
  await world.restart()
  expect((await infos(world)).map(({ state, tools }) => [state, tools.length > 5])).toEqual([
    ['idle', true],
    ['idle', true],
    ['idle', true],
  ])
})

test('a reference server over streamable HTTP is spoken to, and greeted anew when it has forgotten us', async () => {
  const port = 20_000 + Math.floor(Math.random() * 30_000)
  const start = async () => {
    const args = [referenceProgram('everything'), 'streamableHttp']
    const child = spawn(process.execPath, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    await eventually(() =>
      fetch(`http://127.0.0.1:${port}/mcp`).then(
        () => true,
        () => undefined,
      ),
    )
    return child
  }
  const child = await start()
  const url = `http://127.0.0.1:${port}/mcp`
  const world = await createWorld({ settings: { mcpServers: { every: { type: 'http', url } }, ...allowed } })
  const sum = call('mcp__every__get-sum', { a: 2, b: 3 })
  expect(await results(world, sum)).toEqual([expect.stringContaining('5')])
  expect(await infos(world)).toMatchObject([{ name: 'every', transport: 'http', target: url, state: 'running' }])
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('close', resolve))
  await start()
  expect(await results(world, sum)).toEqual([expect.stringContaining('5')])
})

test('a server that dies in a call, one that hangs when it is started and one that is not there cost their own calls', async () => {
  const hung = `hang-${process.pid}-${performance.now()}.json`
  const world = await createWorld({
    files: { 'plan.json': planOf('die', 'echo', 'fails', 'long'), [hung]: '{"tools":[],"hang":true}' },
    settings: {
      mcpServers: {
        kit: kitServer('plan.json'),
        hung: kitServer(hung, { startSeconds: 1 }),
        none: { command: 'no-such-program-here' },
      },
      ...allowed,
    },
  })
  expect(
    await results(
      world,
      call('mcp__kit__die'),
      call('mcp__kit__echo', { a: 1 }),
      call('mcp__kit__fails'),
      call('mcp__kit__long'),
    ),
  ).toEqual([
    expect.stringMatching(/broke off during the call .*; outcome unknown: it may have taken effect/),
    expect.stringContaining('echo {"a":1}'),
    expect.stringContaining('it does not want to'),
    expect.stringMatching(/\[30000 more characters were cut/),
  ])
  const down = await eventually(async () => {
    const all = (await infos(world)).filter(({ state }) => state === 'down')
    return all.length === 2 && all
  })
  expect(down.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
    expect.stringContaining('hung: it did not answer in time'),
    expect.stringContaining('none: its program ended with exit code 127: it, or what it starts, was not found'),
  ])
  await results(world)
  // Whoever looks at the session, or at the server as a whole, reads that they are down.
  const { text: why } = await world.ok<{ text: string }>('GET', `/api/why/${(await sessionOf(world, 'assistant')).id}`)
  expect(why).toMatch(/works without the MCP server hung, which is down: it did not answer in time.*mcp logs hung/s)
  expect(await troupe(world, 'status')).toMatch(/MCP server none is down: .*mcp logs none/)
  const told = (await world.inbox()).map(({ title }) => title).sort()
  expect(told).toEqual(['The MCP server hung is down', 'The MCP server none is down'])
  expect(processesWith(hung)).toEqual([])
  const { text } = await world.ok<{ text: string }>('GET', '/api/mcp/kit/log')
  expect(text).toContain('the kit server speaks')
})

test('a server that is back takes the notice of its outage with it', async () => {
  const world = await createWorld({ settings: { mcpServers: { late: kitServer('late.json') }, ...allowed } })
  const told = async () => (await world.inbox()).map(({ title }) => title)
  await world.request('POST', '/api/mcp/late/test')
  await eventually(async () => (await told()).length === 1)
  expect(await told()).toEqual(['The MCP server late is down'])
  // A server of ours that starts anew knows of no outage, and neither tells it twice nor leaves it standing.
  await world.restart()
  await world.request('POST', '/api/mcp/late/test')
  await eventually(async () => (await world.inbox())[0]?.times === 2)
  await world.restart()
  putFile(join(world.project, 'late.json'), planOf('echo'))
  await world.ok('POST', '/api/mcp/late/test')
  expect(await told()).toEqual([])
})

test('a call that is canceled is called off at the server, and one that is silent for too long ends', async () => {
  const world = await createWorld({
    files: { 'plan.json': planOf('wait', 'slow') },
    settings: { mcpServers: { kit: kitServer('plan.json', { timeoutSeconds: 2 }) }, ...allowed },
  })
  const [first, second] = [`311.${process.pid}`, `312.${process.pid}`]
  expect(await results(world, call('mcp__kit__wait', { word: first }))).toEqual([
    expect.stringContaining('neither answer nor sign of progress for 2 s'),
  ])
  await eventually(() => processesWith(`sleep\0${first}`).length === 0)
  // Signs of progress keep a call alive that takes longer than that.
  expect(await results(world, call('mcp__kit__slow', { times: '3' }))).toEqual([
    expect.stringContaining('done at last'),
  ])
  const session = await world.session()
  world.vendor.queue({}, call('mcp__kit__wait', { word: second }), { text: 'Done.' })
  await world.send(session.id, 'Go')
  await eventually(() => processesWith(`sleep\0${second}`).length === 1)
  await world.ok('POST', `/api/sessions/${session.id}/cancel`, {})
  await eventually(() => processesWith(`sleep\0${second}`).length === 0)
  expect(await infos(world)).toMatchObject([{ state: 'running' }])
})

test('what a server adds during a session arrives by a message, and the prompt stays as it was', async () => {
  const world = await createWorld({
    files: { 'plan.json': planOf('relist', 'echo') },
    settings: { mcpServers: { kit: kitServer('plan.json') }, ...allowed },
  })
  const session = await world.session()
  world.vendor.queue(
    {},
    { text: 'Hi.' },
    call('mcp__kit__relist'),
    { text: 'Done.' },
    { text: 'Yes.' },
    { text: 'And?' },
  )
  await world.say(session.id, 'One')
  putFile(join(world.project, 'plan.json'), planOf('relist', 'fresh'))
  await world.say(session.id, 'Two')
  await eventually(async () => (await infos(world))[0]?.tools.some(({ name }) => name === 'mcp__kit__fresh'))
  await world.say(session.id, 'Three')
  const requests = world.vendor.requests
  expect(requests.at(-1)!.system).toBe(requests[0]!.system)
  expect(await notices(world, session.id)).toEqual([expect.stringMatching(/<tools>[\s\S]*mcp__kit__fresh/)])
  expect(await world.events()).toContainEqual(
    expect.objectContaining({
      type: 'mcp.changed',
      data: { server: 'kit', added: ['fresh'], changed: [], removed: ['echo'] },
    }),
  )
  // What it has is known: after a restart it is started for a call, not for a turn.
  await world.restart()
  await world.say(session.id, 'Four')
  expect((await infos(world))[0]).toMatchObject({ state: 'idle', tools: [{}, { name: 'mcp__kit__fresh' }] })
})

test('one with five hundred tools makes requests at most 1,000 tokens longer', async () => {
  const tools = Array.from({ length: 500 }, (_, at) => ({
    name: `create_or_update_entry_${at}`,
    description: `Creates or updates entry ${at} of the register and returns it with all its fields.`,
  }))
  const world = await createWorld({
    files: { 'plan.json': planOf(...tools), ...cast({ ann: { tools: { deny: ['mcp:*'] } } }, 'ben') },
    settings: { mcpServers: { kit: kitServer('plan.json') } },
  })
  expect((await world.ok<McpInfo>('POST', '/api/mcp/kit/test')).tools).toHaveLength(500)
  const fixed = async (agent: string): Promise<number> => {
    const { id } = await world.session({ agent, mode: 'task' })
    const { parts } = await world.ok<SessionContext>('GET', `/api/sessions/${id}/context`)
    return parts.reduce((sum, { tokens }) => sum + tokens, 0)
  }
  const more = (await fixed('ben')) - (await fixed('ann'))
  expect(more).toBeGreaterThan(50)
  expect(more).toBeLessThanOrEqual(1000)
})

test('an agent has servers of its own, scopes and rules name tools of servers, and what is not used is told', async () => {
  const server = await openHttpMcp()
  const world = await createWorld({
    files: { 'plan.json': planOf('echo', 'look'), ...cast('ben', { ann: { tools: { deny: ['mcp:kit.look'] } } }) },
    settings: {
      mcpServers: { kit: kitServer('plan.json'), off: { url: server.url, enabled: false } },
      permissions: { allow: ['mcp:kit.*'], deny: ['mcp:kit.echo(*secret*)'] },
    },
  })
  await world.ok('POST', '/api/trust', { trusted: true })
  const session = await world.session({ agent: 'ann' })
  const calls = [call('mcp__kit__echo', { a: 1 }), call('mcp__kit__echo', { a: 'secret' }), call('mcp__kit__look')]
  world.vendor.queue({ model: 'ann' }, ...calls, { text: 'Done.' })
  await world.say(session.id, 'Go')
  expect(await world.results(session.id)).toEqual([
    expect.stringContaining('echo {"a":1}'),
    expect.stringContaining('rule deny "mcp:kit.echo(*secret*)"'),
    expect.stringContaining('There is no tool "mcp__kit__look" here.'),
  ])
  expect(await infos(world)).toMatchObject([
    { name: 'kit', state: 'running' },
    { name: 'off', state: 'off' },
  ])
  expect(server.seen).toEqual([])
})
