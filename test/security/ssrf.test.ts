import { lookup } from 'node:dns/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { whyNotPublic } from '../../src/lib/net/addresses.ts'
import { createWorld, type World } from '../kit/world.ts'

/** A server on this machine that must never be reached; every connection to it counts. */
async function openCanary(): Promise<{ port: number; hits(): number }> {
  let hits = 0
  const server = createServer((_, response) => void response.end('the canary sings'))
  server.on('connection', () => {
    hits += 1
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { port: (server.address() as AddressInfo).port, hits: () => hits }
}

/** Hosts of spec and kin that are not public, and what the refusal says of them. */
const hosts: readonly (readonly [host: string, why: RegExp])[] = [
  ['127.0.0.1', /of this machine/],
  ['localhost', /of this machine/],
  ['LOCALHOST.', /of this machine/],
  ['a.localhost', /of this machine/],
  ['0.0.0.0', /of this machine/],
  ['[::1]', /of this machine/],
  ['[::]', /of this machine/],
  ['127.1', /of this machine/],
  ['2130706433', /of this machine/],
  ['0x7f000001', /of this machine/],
  ['017700000001', /of this machine/],
  ['127.0.0.1.', /of this machine/],
  ['１２７.０.０.１', /of this machine/],
  ['[::ffff:127.0.0.1]', /of this machine/],
  ['[::ffff:7f00:1]', /of this machine/],
  ['[::127.0.0.1]', /reserved/],
  ['[64:ff9b::a9fe:a9fe]', /link-local/],
  ['[64:ff9b::7f00:1]', /of this machine/],
  ['[2002:7f00:1::]', /of this machine/],
  ['[2001::80ff:fefe]', /reserved/],
  ['[2600::5efe:127.0.0.1]', /of this machine/],
  ['[fe80::5efe:127.0.0.1]', /link-local/],
  ['169.254.169.254', /link-local/],
  ['[fd00:ec2::254]', /private/],
  ['192.0.0.192', /reserved/],
  ['100.64.0.1', /provider's own network/],
  ['10.0.0.1', /private/],
  ['172.16.0.1', /private/],
  ['192.168.0.1', /private/],
  ['[fc00::1]', /private/],
  ['[fe80::1]', /link-local/],
  ['[fec0::1]', /private/],
  ['224.0.0.1', /multicast/],
  ['[ff02::1]', /multicast/],
  ['255.255.255.255', /reserved/],
]

const others: readonly (readonly [url: string, why: RegExp])[] = [
  ['http://user@127.0.0.1/', /user name or password/],
  ['http://user:word@example.com/', /user name or password/],
  ['file:///etc/passwd', /file: are not fetched/],
  ['gopher://127.0.0.1/', /gopher: are not fetched/],
  ['data:text/plain,hello', /data: are not fetched/],
  ['ftp://127.0.0.1/', /ftp: are not fetched/],
]

async function fetchAll(world: World, urls: readonly string[]): Promise<string[]> {
  const session = await world.session({ agent: 'researcher' })
  const calls = urls.map((url) => ({ name: 'web_fetch', input: { url } }))
  world.vendor.reply({ calls }, { text: '.' })
  await world.say(session.id, 'Go')
  return (await world.results(session.id)).map(String)
}

test.each([
  ['that allow the whole web', { allow: ['*', 'web_fetch', 'web_fetch(*)', 'web_*(*)'] }],
  ['with nobody to ask and everything allowed', { allow: ['*'], unattended: 'allow' }],
])(
  'with rules %s every address that is not public is refused with its reason, and the canary is not reached',
  async (_, permissions) => {
    const canary = await openCanary()
    const world = await createWorld({ settings: { permissions } })
    const wanted = [...hosts.map(([host, why]) => [`http://${host}:${canary.port}/`, why] as const), ...others]
    const told = await fetchAll(
      world,
      wanted.map(([url]) => url),
    )
    expect(told).toHaveLength(wanted.length)
    for (const [at, [url, why]] of wanted.entries())
      expect({ url, told: told[at] }).toEqual({ url, told: expect.stringMatching(why) })
    expect(canary.hits()).toBe(0)
  },
)

/** The one name besides localhost that leads to a local address: the machine's own, where it has one. */
const machine = await lookup(hostname()).then(
  ({ address }) => (whyNotPublic(address) === undefined ? undefined : hostname()),
  () => undefined,
)

test.runIf(machine)(
  'a name that leads to an address that is not public is refused, although a rule allows the name',
  async () => {
    const canary = await openCanary()
    const world = await createWorld({ settings: { permissions: { allow: [`web_fetch(${machine}:*)`] } } })
    const [told] = await fetchAll(world, [`http://${machine}:${canary.port}/`])
    expect(told).toMatch(/Not permitted: .* is at .*, which is .*web_fetch\(/)
    expect(canary.hits()).toBe(0)
  },
)

test('what a rule names is reached, a redirect from there to what it does not name is not', async () => {
  const canary = await openCanary()
  const open = createServer(
    (_, response) => void response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/` }).end(),
  )
  await new Promise<void>((resolve) => void open.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void open.close().closeAllConnections())
  const { port } = open.address() as AddressInfo
  const world = await createWorld({ settings: { permissions: { allow: [`web_fetch(127.0.0.1:${port})`] } } })
  const [told] = await fetchAll(world, [`http://127.0.0.1:${port}/`])
  expect(told).toMatch(/redirects to http:\/\/127\.0\.0\.1:\d+\/\. That is another host, so it was not followed/)
  expect(canary.hits()).toBe(0)
})

test('the server itself is not reached under any spelling, even where a rule names it', async () => {
  const world = await createWorld({
    settings: {
      permissions: { allow: ['web_fetch(127.*)', 'web_fetch(localhost*)', 'web_fetch([*)', 'web_fetch(0.0.0.0*)'] },
    },
  })
  const spellings = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.1', '2130706433', '[::ffff:127.0.0.1]']
  const told = await fetchAll(
    world,
    spellings.map((host) => `http://${host}:${world.port}/api/health`),
  )
  for (const [at, host] of spellings.entries())
    expect({ host, told: told[at] }).toEqual({ host, told: expect.stringMatching(/the server that runs you/) })
})

test('a provider or MCP server of a trusted project is asked at a public address only; a provider of the person wherever it is', async () => {
  const canary = await openCanary()
  const provider = (host: string, port = canary.port) => ({
    type: 'openai-compatible',
    baseURL: `http://${host}:${port}/v1`,
  })
  const providers = Object.fromEntries(hosts.map(([host], at) => [`p${at}`, provider(host)]))
  const servers = hosts.map(([host], at) => [`s${at}`, { type: 'http', url: `http://${host}:${canary.port}/mcp` }])
  const world = await createWorld({
    files: {
      '.troupe/settings.json': JSON.stringify({ providers }),
      '.mcp.json': JSON.stringify({ mcpServers: Object.fromEntries(servers) }),
    },
  })
  const { hash } = await world.ok<{ hash: string }>('GET', '/api/trust')
  await world.ok('POST', '/api/trust', { trusted: true, hash })
  const { items } = await world.ok<{ items: { provider: string }[] }>('GET', '/api/models')
  expect(items.map((model) => model.provider)).toEqual(expect.arrayContaining(Object.keys(providers)))
  const tested = await Promise.all(hosts.map((_, at) => world.ok('POST', `/api/mcp/s${at}/test`)))
  for (const [at, [host, why]] of hosts.entries())
    expect({ host, is: tested[at] }).toEqual({
      host,
      is: expect.objectContaining({ state: 'down', reason: expect.stringMatching(why) }),
    })
  const said = async (model: string) => {
    const session = await world.session({ agent: 'researcher', model })
    return JSON.stringify(await world.say(session.id, 'Hello'))
  }
  for (const at of [0, 1, 5, 7, 14, 23])
    expect(await said(`p${at}/m`)).toMatch(
      new RegExp(`p${at} was not asked\\. Not permitted: .*${hosts[at]?.[1].source}.*config set providers\\.p${at}`),
    )
  expect(canary.hits()).toBe(0)
  await world.ok('PATCH', '/api/settings', { where: 'home', changes: { 'providers.mine': provider('127.0.0.1') } })
  await world.ok('GET', '/api/models')
  expect(canary.hits()).toBeGreaterThan(0)
})
