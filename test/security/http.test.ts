import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClientTools } from '../../src/core/clients/index.ts'
import { createTokens } from '../../src/core/sessions/tokens.ts'
import { openDevices } from '../../src/http/guard/devices.ts'
import { createServer } from '../../src/http/server.ts'
import { hex } from '../../src/lib/ids.ts'
import { createClock } from '../kit/clock.ts'
import { ask, upgrade } from '../kit/http.ts'
import { isServing, rows, securityLog } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const open = new Set(['GET /', 'GET /page.css', 'GET /api/health', 'POST /api/login'])

/** Every route the running server says it has, with something in the place of each parameter. */
async function routesOf(world: World): Promise<{ method: string; path: string }[]> {
  const { json } = await world.call('GET', '/api/openapi.json')
  return Object.entries<Record<string, unknown>>(json.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, 'abcd') })),
  )
}

test('every route but liveness, login and the page refuses all that is not a right token, without effect', async () => {
  const clock = createClock()
  const world = await createWorld({ clock })
  const elsewhere = await createWorld()
  const routes = (await routesOf(world)).filter(({ method, path }) => !open.has(`${method} ${path}`))
  expect(routes.length).toBeGreaterThan(35)
  const before = await rows(world)
  const wrong: Record<string, string>[] = [
    {},
    { authorization: '' },
    { authorization: 'Bearer ' },
    { authorization: `Bearer ${hex(32)}` },
    { authorization: `Bearer ${world.server.token.slice(0, -1)}` },
    { authorization: `Bearer ${elsewhere.server.token}` },
    { authorization: `Basic ${world.server.token}` },
    { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
  ]
  for (const { method, path } of [
    ...routes,
    { method: 'GET', path: '/api/nothing' },
    { method: 'GET', path: '/api/ws' },
  ]) {
    for (const headers of wrong) {
      clock.at += 61_000
      const body = method === 'GET' ? {} : { 'content-type': 'application/json' }
      const answer = await ask(
        { port: world.port, method, path: `${path}?token=${world.server.token}`, headers: { ...body, ...headers } },
        method === 'GET' ? undefined : '{}',
      )
      expect([answer.status, method, path, headers]).toEqual([401, method, path, headers])
      expect(answer.json.error.code).toMatch(/^auth\.(missing|wrong)$/)
    }
  }
  for (const headers of wrong) {
    clock.at += 61_000
    const refused = await ask({ port: world.port, path: '/api/ws', headers: { ...upgrade, ...headers } })
    expect(refused.status).toBe(401)
    const offered = { ...upgrade, 'sec-websocket-protocol': `troupe.v1, bearer.${hex(32)}` }
    clock.at += 61_000
    expect((await ask({ port: world.port, path: '/api/ws', headers: offered })).status).toBe(401)
  }
  expect(await rows(world)).toEqual(before)
  expect(isServing(world)).toBe(true)
})

test('what needs no token says nothing about the machine', async () => {
  const world = await createWorld()
  for (const path of ['/', '/page.css', '/api/health']) {
    const { status, text } = await ask({ port: world.port, path })
    expect(status).toBe(200)
    expect(text).not.toContain(world.server.core.home)
    expect(text).not.toContain(world.server.core.project.path)
  }
})

test('only exact hosts of this server are answered, on requests and upgrades, whatever the token', async () => {
  const world = await createWorld({ settings: { server: { publicUrl: 'https://troupe.example' } } })
  const { port, server } = world
  const headers = { authorization: `Bearer ${server.token}` }
  const foreign = [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    `127.0.0.1.evil.example:${port}`,
    `localhost:${port + 1}`,
    'localhost',
    `localhost.:${port}`,
    `127.0.0.1:${port}.evil.example`,
    `0.0.0.0:${port}`,
    `127.1:${port}`,
    `troupe.example:${port}`,
    `user@localhost:${port}`,
    ' ',
  ]
  for (const host of foreign) {
    const answer = await ask({ port, path: '/api/status', headers: { ...headers, host } })
    expect([host, answer.status]).toEqual([host, 421])
    expect((await ask({ port, path: '/api/ws', headers: { ...headers, ...upgrade, host } })).status).toBe(421)
    expect((await ask({ port, path: '/', headers: { host } })).status).toBe(421)
  }
  const withoutHost = await ask({ port, path: '/api/status', headers, setHost: false })
  expect(withoutHost.status).toBeGreaterThanOrEqual(400)
  const fullAddress = await ask({ port, path: `http://localhost:${port}/api/status`, headers })
  expect(fullAddress.status).toBe(421)
  for (const host of [
    `localhost:${port}`,
    `127.0.0.1:${port}`,
    `[::1]:${port}`,
    `LOCALHOST:${port}`,
    'troupe.example',
  ]) {
    expect([host, (await ask({ port, path: '/api/status', headers: { ...headers, host } })).status]).toEqual([
      host,
      200,
    ])
  }
  expect(securityLog(world)).toContain('auth.host')
})

test('foreign origins are refused before the upgrade and before any route; own origins and none pass', async () => {
  const world = await createWorld({ settings: { server: { publicUrl: 'https://troupe.example' } } })
  const { port, server } = world
  const headers = { authorization: `Bearer ${server.token}` }
  const foreign = [
    'https://evil.example',
    'null',
    'http://localhost:9999',
    'http://localhost.evil.example',
    `https://localhost:${port}`,
    `http://localhost:${port}.evil.example`,
    'http://troupe.example',
    '',
  ]
  for (const origin of foreign) {
    const asked = await ask({ port, path: '/api/status', headers: { ...headers, origin } })
    const raised = await ask({ port, path: '/api/ws', headers: { ...headers, ...upgrade, origin } })
    const preflight = await ask({
      port,
      path: '/api/sessions',
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect([origin, asked.status, raised.status, preflight.status]).toEqual([origin, 403, 403, 403])
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  }
  for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`, 'https://troupe.example']) {
    const asked = await ask({ port, path: '/api/status', headers: { ...headers, origin } })
    const raised = await ask({ port, path: '/api/ws', headers: { ...headers, ...upgrade, origin } })
    expect([origin, asked.status, raised.status]).toEqual([origin, 200, 101])
  }
})

test('a thousand wrong tokens: 20 a minute are told they are wrong, the rest are limited, the right one always works', async () => {
  const clock = createClock()
  const world = await createWorld({ clock })
  const guess = (headers: Record<string, string> = {}) =>
    world.call('GET', '/api/status', { headers: { authorization: `Bearer ${hex(32)}`, ...headers } })
  const statuses: number[] = []
  for (let at = 0; at < 1000; at++) {
    statuses.push((await guess(at % 2 ? { 'x-forwarded-for': `10.0.0.${at % 250}` } : {})).status)
    if (at % 100 === 0) expect((await world.call('GET', '/api/status')).status).toBe(200)
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(20)
  expect(statuses.filter((status) => status === 429)).toHaveLength(980)
  const login = await world.call('POST', '/api/login', { body: { code: 'guess' }, headers: { authorization: '' } })
  expect(login.status).toBe(429)
  expect((await world.call('GET', '/api/devices')).status).toBe(200)
  clock.at += 61_000
  expect((await guess()).status).toBe(401)

  const log = securityLog(world)
  expect(log.split('\n').length).toBeLessThan(400)
  expect(log).not.toContain(world.server.token)
})

test('a login code makes one device, once, within five minutes, and the device can be revoked', async () => {
  const clock = createClock()
  const world = await createWorld({ clock })
  const code = async () => (await world.call('POST', '/api/devices/code', { body: {} })).json.code as string
  const login = (given: string) =>
    ask(
      { port: world.port, path: '/api/login', method: 'POST', headers: { 'content-type': 'application/json' } },
      JSON.stringify({ code: given, name: 'phone' }),
    )

  const first = await code()
  const { status, json } = await login(first)
  expect([status, json.device.name]).toEqual([200, 'phone'])
  expect((await login(first)).status).toBe(401)

  const late = await code()
  clock.at += 5 * 60_000
  expect((await login(late)).status).toBe(401)

  const asDevice = { headers: { authorization: `Bearer ${json.token}` } }
  expect((await world.call('GET', '/api/status', asDevice)).status).toBe(200)
  const file = join(world.server.core.home, 'devices.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain(json.token)
  expect((await world.call('GET', '/api/devices')).text).not.toContain(json.token)

  expect((await world.call('DELETE', `/api/devices/${json.device.id}`)).status).toBe(200)
  expect((await world.call('GET', '/api/status', asDevice)).status).toBe(401)
  expect((await world.call('DELETE', `/api/devices/${json.device.id}`)).status).toBe(404)
})

test('every answer, refusals too, carries the headers that keep a page from misusing it', async () => {
  const world = await createWorld()
  const refusals = [
    await ask({ port: world.port, path: '/' }),
    await ask({ port: world.port, path: '/api/status' }),
    await ask({ port: world.port, path: '/', headers: { host: 'evil.example' } }),
    await ask({ port: world.port, path: '/api/ws', headers: upgrade }),
    await world.call('GET', '/api/docs'),
    await world.call('GET', '/api/openapi.json'),
  ]
  for (const { headers } of refusals) {
    expect(headers['content-security-policy']).toMatch(/default-src 'none'/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|http/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
  }
  // Its script and its style are files of their own.
  const page = (await ask({ port: world.port, path: '/' })).text
  expect(page.replaceAll(/<script type="module" crossorigin src="[^"]+"><\/script>/g, '')).not.toMatch(
    /<script|style=|<style|\son\w+=/,
  )
  expect((await world.call('GET', '/api/docs')).text).not.toMatch(/<script|style=|<style|\son\w+=/)
})

test('a refusal leaves a line with time, route and reason, and never a token', async () => {
  const world = await createWorld()
  await ask({
    port: world.port,
    path: `/api/agents/${world.server.token}`,
    headers: { authorization: `Bearer ${hex(32)}` },
  })
  await ask({ port: world.port, path: '/api/status', headers: { host: 'evil.example' } })
  await ask({ port: world.port, path: '/api/ws', headers: { ...upgrade, origin: 'https://evil.example' } })
  const lines = securityLog(world)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ message, route }) => [message, route.split(' ')[0]])).toEqual([
    ['auth.wrong', 'GET'],
    ['auth.host', 'GET'],
    ['auth.origin', 'upgrade'],
  ])
  for (const { at, reason } of lines) expect([Date.parse(at) > 0, reason.length > 10]).toEqual([true, true])
  expect(securityLog(world)).not.toContain(world.server.token)
})

test('an address that other machines can reach is bound only when that was asked for', async () => {
  const world = await createWorld()
  const options = {
    host: '0.0.0.0',
    port: 0,
    token: world.server.token,
    tokens: createTokens(world.server.token),
    devices: openDevices(world.server.core.home, world.server.core.clock),
    engine: { start: async () => {}, stop: async () => {}, wake: () => {}, alarm: () => {}, running: 0 },
    clientTools: createClientTools(),
    shutdown: () => {},
  }
  await expect(createServer(world.server.core, options)).rejects.toThrow('which other machines can reach')
  // What it advises is there.
  const { hint } = await createServer(world.server.core, options).catch((error) => error)
  expect(hint).toContain('server.publicUrl')
  expect(hint).not.toMatch(/--\w/)
})
