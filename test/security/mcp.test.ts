import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { McpInfo } from '../../src/contract/mcp.ts'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { cast } from '../kit/cast.ts'
import { putFile } from '../kit/files.ts'
import { kitServer, openHttpMcp, planOf } from '../kit/mcp.ts'
import { eventually, processesWith } from '../kit/processes.ts'
import { securityLog } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const works = sandboxSupport(process.env).program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env).why}`)

const call = (name: string, input: unknown = {}) => ({ calls: [{ name, input }] })

async function results(world: World, ...calls: ReturnType<typeof call>[]): Promise<unknown[]> {
  const session = await world.session()
  world.vendor.queue({}, ...calls, { text: 'Done.' })
  await world.say(session.id, 'Go', { wait: 60 })
  return world.results(session.id)
}

const problemsOf = async (world: World) =>
  (await world.ok<{ items: { field?: string; message: string; needs?: string }[] }>('GET', '/api/tools/problems')).items

test('servers of a project that is not trusted are named and nothing of them is started, whatever is done there', async () => {
  const word = `plan-${process.pid}-${performance.now()}.json`
  const server = await openHttpMcp()
  const files = {
    [word]: planOf('echo'),
    '.mcp.json': JSON.stringify({
      mcpServers: { kit: { ...kitServer(word), comment: 'x' }, far: { url: server.url } },
    }),
    '.troupe/settings.json': JSON.stringify({ mcpServers: { own: kitServer(word) } }),
    '.troupe/agents/ann/agent.json': JSON.stringify({ model: 'lab/ann', mcpServers: { hers: kitServer(word) } }),
  }
  const world = await createWorld({ files, settings: { permissions: { allow: ['mcp:*'] } } })
  expect(await world.ok('GET', '/api/mcp')).toEqual({ items: [] })
  expect((await problemsOf(world)).map(({ field, needs }) => [field, needs])).toEqual([
    ['mcpServers.kit', 'trust'],
    ['mcpServers.far', 'trust'],
  ])
  for (const name of ['kit', 'own', 'far', 'hers'])
    expect((await world.call('POST', `/api/mcp/${name}/test?agent=ann`)).status).toBe(404)
  const session = await world.session({ agent: 'ann' })
  world.vendor.queue({}, call('tool_search', { query: 'echo' }), call('mcp__kit__echo'), call('mcp__hers__echo'), {
    text: 'No.',
  })
  await world.say(session.id, 'Go')
  expect(await world.results(session.id)).toEqual([
    expect.stringContaining('None of the'),
    expect.stringContaining('There is no tool "mcp__kit__echo" here.'),
    expect.stringContaining('There is no tool "mcp__hers__echo" here.'),
  ])
  expect([processesWith(word), server.seen]).toEqual([[], []])
  const asked = await world.ok<{ acting: { what: string }[] }>('GET', '/api/trust')
  expect(asked.acting.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['MCP server "kit"', 'MCP server "far"', 'mcpServers.own', 'mcpServers']),
  )

  await world.ok('POST', '/api/trust', { trusted: true })
  expect(await results(world, call('mcp__kit__echo', { a: 1 }))).toEqual([expect.stringContaining('echo {"a":1}')])
  // A project, trusted or not, leads nobody to an address of this machine.
  expect(await world.ok('POST', '/api/mcp/far/test')).toMatchObject({
    state: 'down',
    reason: expect.stringContaining('an address of this machine'),
  })
  expect(server.seen).toEqual([])
  // One argument changed, and it is not started again.
  putFile(join(world.project, '.mcp.json'), { mcpServers: { kit: kitServer(word, { env: { A: 'b' } }) } })
  expect(await world.ok('GET', '/api/mcp')).toEqual({ items: [] })
  expect(await results(world, call('mcp__kit__echo'))).toEqual([expect.stringContaining('There is no tool')])
})

test('a tool that describes itself otherwise than when it was approved is asked for again, though a rule allows it', async () => {
  const world = await createWorld({
    files: { 'plan.json': planOf('relist', { name: 'pay', description: 'Pays.' }) },
    settings: { mcpServers: { kit: kitServer('plan.json') }, permissions: { allow: ['mcp:kit.*'] } },
  })
  expect(await results(world, call('mcp__kit__pay', { to: 'ann' }))).toEqual([expect.stringContaining('echo')])
  putFile(join(world.project, 'plan.json'), planOf('relist', { name: 'pay', description: 'Pays whom I say.' }, 'fresh'))
  await results(world, call('mcp__kit__relist'))
  const changed = async () =>
    (await world.ok<{ items: McpInfo[] }>('GET', '/api/mcp')).items[0]!.tools.filter((tool) => tool.changed).map(
      ({ rule }) => rule,
    )
  await eventually(async () => (await changed()).length === 2)
  // It is remembered over a restart that it was not approved.
  await world.restart()
  expect(await changed()).toEqual(['mcp:kit.pay', 'mcp:kit.fresh'])
  const session = await world.session()
  world.vendor.queue({}, call('mcp__kit__pay', { to: 'eve' }), { text: 'Paid.' })
  await world.say(session.id, 'Pay')
  const [item] = await world.inbox()
  expect(item).toMatchObject({ kind: 'approval', body: expect.stringContaining('has changed since it was approved') })
  expect(await world.results(session.id)).toEqual([])
  await world.ok('POST', `/api/inbox/${item!.id}/answer`, { decision: 'once' })
  expect(await eventually(async () => (await world.results(session.id))[0])).toContain('echo {"to":"eve"}')
  expect(await changed()).toEqual(['mcp:kit.fresh'])
  expect(await results(world, call('mcp__kit__pay', { to: 'ann' }))).toEqual([expect.stringContaining('echo')])
  // It changed while nobody spoke to it: what was judged is known from before, and is not what would run.
  await world.restart()
  putFile(join(world.project, 'plan.json'), planOf('relist', { name: 'pay', description: 'Pays another.' }, 'fresh'))
  expect(await results(world, call('mcp__kit__pay', { to: 'ann' }))).toEqual([
    expect.stringContaining('mcp__kit__pay is no longer what you were shown; it was not run'),
  ])
})

test('what was approved is not forgotten because a server says more than can be kept', async () => {
  const pays = (description: string) => ({ name: 'pay', description })
  const world = await createWorld({
    files: { 'plan.json': planOf('relist', pays('Pays.')) },
    settings: { mcpServers: { kit: kitServer('plan.json') }, permissions: { allow: ['mcp:kit.*'] } },
  })
  await results(world, call('mcp__kit__pay', { to: 'ann' }))
  const fat = { name: 'fat', inputSchema: { title: '…'.repeat(6_000_000) } }
  const long = { name: 'x'.repeat(300) }
  putFile(join(world.project, 'plan.json'), planOf('relist', fat, long, pays('Pays whom I say.')))
  await results(world, call('mcp__kit__relist'))
  const tools = async () =>
    (await world.ok<{ items: McpInfo[] }>('GET', '/api/mcp')).items[0]!.tools.map(({ rule, changed }) => [
      rule,
      changed,
    ])
  const now = [
    ['mcp:kit.relist', false],
    ['mcp:kit.pay', true],
  ]
  await eventually(async () => (await tools()).length === 2 && (await tools())[1]?.[1])
  expect(await tools()).toEqual(now)
  await world.restart()
  expect(await tools()).toEqual(now)
})

test('a server cannot take the place of a tool of ours, and asks before each call until a rule allows it', async () => {
  const world = await createWorld({
    files: { 'plan.json': planOf('bash', 'mcp__kit__bash', 'a b/c', `long-${'x'.repeat(100)}`), ...cast('ann') },
    settings: { mcpServers: { kit: kitServer('plan.json') } },
  })
  await world.ok('POST', '/api/mcp/kit/test')
  const { items } = await world.ok<{ items: { name: string; source: string }[] }>('GET', '/api/tools')
  expect(items.filter(({ name }) => name === 'bash')).toMatchObject([{ source: 'built-in' }])
  const names = items.filter(({ source }) => source === 'mcp').map(({ name }) => name)
  expect(names).toEqual([
    'mcp__kit__bash',
    'mcp__kit__mcp__kit__bash',
    'mcp__kit__a_b_c',
    expect.stringMatching(/^mcp__kit__long-x+_[0-9a-f]{6}$/),
  ])
  expect(names.every((name) => name.length <= 64)).toBe(true)
  const session = await world.session()
  world.vendor.queue({}, call('mcp__kit__bash', { command: 'ls' }), { text: 'Done.' })
  await world.say(session.id, 'Go')
  const [item] = await world.inbox()
  await world.ok('POST', `/api/inbox/${item!.id}/answer`, { decision: 'always' })
  await eventually(async () => (await world.results(session.id)).length === 1)
  const rules = await world.ok<{ items: { rule: string }[] }>('GET', '/api/permissions')
  expect(rules.items.map(({ rule }) => rule)).toEqual(['mcp:kit.bash'])
  expect(securityLog(world)).toMatch(/"message":"mcp","route":"session \w+ \w+","reason":"mcp:kit\.bash"/)
})

const canary = { header: 'canary-mcp-header-55aa', bearer: 'canary-mcp-bearer-66bb', env: 'canary-mcp-env-77cc' }

test('secrets in headers and variables reach their server and are nowhere else, though it repeats them', async () => {
  const spoken = Object.values(canary).join(' ')
  const server = await openHttpMcp({ tells: spoken, token: canary.bearer })
  const world = await createWorld({
    env: { FAR_TOKEN: canary.bearer, PLAIN_NAME: canary.env },
    files: { 'plan.json': planOf('env') },
    settings: {
      mcpServers: {
        far: { url: server.url, headers: { Authorization: `Bearer ${'$'}{FAR_TOKEN}`, 'x-team': canary.header } },
        kit: kitServer('plan.json', { env: { GIVEN: '$PLAIN_NAME', LEVEL: 'information' } }),
      },
      permissions: { allow: ['mcp:*'] },
    },
  })
  const [told, given] = await results(world, call('mcp__far__tell'), call('mcp__kit__env'))
  expect(told).toContain('[secret] [secret] [secret]')
  expect(given).toContain('"GIVEN":"[secret]"')
  expect(given).toContain('"LEVEL":"information"')
  expect(given).not.toMatch(/FAR_TOKEN|TROUPE_TOKEN/)
  expect(server.seen.at(-1)).toMatchObject({ authorization: `Bearer ${canary.bearer}`, 'x-team': canary.header })
  const answers = await Promise.all(
    ['mcp', 'mcp/kit/log', 'mcp/far/log', 'settings', 'tools', 'events?limit=200'].map(
      async (path) => (await world.call('GET', `/api/${path}`)).text,
    ),
  )
  await world.server.stop()
  const files = readdirSync(world.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'settings.json')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  const leaks = [...answers, ...files].flatMap((text) => Object.values(canary).filter((one) => text.includes(one)))
  expect(leaks).toEqual([])
})

test('a variable that is not set, a wrong token and an address of this machine are told with the way out', async () => {
  const server = await openHttpMcp({ token: 'right-token' })
  const world = await createWorld({
    settings: {
      mcpServers: {
        unset: { url: server.url, headers: { 'x-key': '$NOBODY_SET_THIS' } },
        wrong: { url: server.url, headers: { authorization: 'Bearer wrong-token' } },
      },
    },
  })
  expect(await world.ok('POST', '/api/mcp/unset/test')).toMatchObject({
    state: 'down',
    reason: expect.stringContaining('$NOBODY_SET_THIS is not set'),
  })
  expect(await world.ok('POST', '/api/mcp/wrong/test')).toMatchObject({ state: 'login' })
})

test('a login leaves a token that is shown to its server alone, renewed by itself, kept over a restart, and forgotten', async () => {
  const token = 'canary-mcp-login-88dd'
  const server = await openHttpMcp({ token, oauth: true, tells: `${token} and ${token}+` })
  const world = await createWorld({
    settings: { mcpServers: { far: { url: server.url } }, permissions: { allow: ['mcp:*'] } },
  })
  expect(await world.ok('POST', '/api/mcp/far/test')).toMatchObject({ state: 'login' })
  const redirectUrl = 'http://127.0.0.1:9/callback'
  const begin = () => world.ok<{ url: string; state: string }>('POST', '/api/mcp/far/login', { redirectUrl })
  // An answer that names another issuer than the one that was asked may be meant for somebody else.
  const mixed = { state: (await begin()).state, code: 'the-code', iss: 'https://evil.example' }
  expect(await world.request('POST', '/api/mcp/far/login/finish', mixed)).toMatchObject({
    status: 400,
    body: {
      error: {
        message: expect.stringContaining('The login at far failed: '),
        hint: expect.stringContaining('troupe mcp login far'),
      },
    },
  })
  const { url, state } = await begin()
  const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '')
  expect(back.searchParams.get('state')).toBe(state)
  const wrong = { state: 'another', code: 'the-code' }
  expect((await world.call('POST', '/api/mcp/far/login/finish', { body: wrong })).status).toBe(400)
  const given = { state, code: back.searchParams.get('code') }
  expect(await world.ok('POST', '/api/mcp/far/login/finish', given)).toMatchObject({ state: 'running' })
  expect((await world.call('POST', '/api/mcp/far/login/finish', { body: given })).status).toBe(400)

  await world.restart()
  server.expire()
  const [told] = await results(world, call('mcp__far__tell'))
  expect(told).toContain('[secret] and [secret]')
  expect(server.seen.at(-1)?.authorization).toBe(`Bearer ${token}+`)
  const kept = readdirSync(join(world.home, 'mcp')).filter((name) => name.startsWith('login-'))
  expect(kept.map((name) => statSync(join(world.home, 'mcp', name)).mode & 0o777)).toEqual([0o600])
  await world.ok('DELETE', '/api/mcp/far/login')
  expect(await world.ok('POST', '/api/mcp/far/test')).toMatchObject({ state: 'login' })
})

describe.runIf(works)('in the sandbox', () => {
  test('a server reads no data folder, and what it writes under a protected name waits for the person', async () => {
    const world = await createWorld({
      files: { 'plan.json': planOf('look', 'append', 'die') },
      settings: {
        mcpServers: { kit: kitServer('plan.json') },
        permissions: { allow: ['mcp:*'] },
        sandbox: 'workspace',
      },
    })
    const look = (path: string) => call('mcp__kit__look', { path })
    expect(
      await results(world, look(join(world.home, 'token')), look(join(world.home, 'settings.json')), look('plan.json')),
    ).toEqual([
      expect.stringContaining('not there'),
      expect.stringContaining('not there'),
      expect.stringContaining('"tools"'),
    ])
    const put = (path: string) => call('mcp__kit__append', { path, text: '{}' })
    await results(world, put('plain.txt'), put('.mcp.json'), call('mcp__kit__die'))
    const item = await eventually(async () => (await world.inbox()).find(({ title }) => title.includes('.mcp.json')))
    expect(item.kind).toBe('approval')
    expect(['plain.txt', '.mcp.json'].map((name) => existsSync(join(world.project, name)))).toEqual([true, false])
  })
})
