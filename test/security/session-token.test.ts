import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { createTokens } from '../../src/core/sessions/tokens.ts'
import { hex } from '../../src/lib/ids.ts'
import { createClock } from '../kit/clock.ts'
import { ask, type HttpAnswer, upgrade } from '../kit/http.ts'
import { isServing, rows, securityLog } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

/** All that a session's token opens; everything else the server has must refuse it. */
const open = new Set([
  'POST /api/mail',
  'GET /api/mail',
  'GET /api/mail/{id}',
  'POST /api/mail/{id}/answer',
  'POST /api/tasks',
  'GET /api/tasks',
  'GET /api/tasks/{id}',
  'DELETE /api/tasks/{id}',
  'POST /api/tasks/{id}/respond',
  'GET /api/tasks/{id}/tree',
  'GET /api/tasks/{id}/events',
  'GET /api/agents',
  'GET /api/tools',
  'GET /api/sessions/{ref}',
  'GET /api/sessions/{ref}/messages',
  'GET /api/sessions/{ref}/prompt',
  'GET /api/sessions/{ref}/tools',
  'GET /api/sessions/{ref}/todos',
  'GET /api/sessions/{ref}/context',
  'GET /api/sessions/{ref}/export',
  'GET /api/why/{ref}',
  // Need no token.
  'GET /api/health',
  'POST /api/login',
])

interface Place {
  readonly world: World
  readonly clock: ReturnType<typeof createClock>
  readonly own: Session
  readonly other: Session
  /** A request with the token of `own`. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
}

async function twoSessions(): Promise<Place> {
  const clock = createClock()
  const world = await createWorld({ clock })
  const make = async (): Promise<Session> =>
    (await world.call('POST', '/api/sessions', { body: { agent: 'assistant' } })).json
  const [own, other] = [await make(), await make()]
  const authorization = `Bearer ${world.server.core.tokenOf(own.id)}`
  const call: Place['call'] = (method, path, body, headers) =>
    world.call(method, path, { body, headers: { authorization, ...headers } })
  return { world, clock, own, other, call }
}

test('every other route of the server refuses a session’s token, even about itself, without effect', async () => {
  const { world, own, call } = await twoSessions()
  const { json } = await world.call('GET', '/api/openapi.json')
  const routes = Object.entries<Record<string, unknown>>(json.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  )
  const closed = routes.filter(({ method, path }) => !open.has(`${method} ${path}`))
  expect(closed.length).toBeGreaterThan(30)
  const before = await rows(world)
  for (const { method, path } of [
    ...closed,
    { method: 'GET', path: '/api/nothing' },
    { method: 'OPTIONS', path: '/api/mail' },
    { method: 'PUT', path: '/api/mail' },
    { method: 'GET', path: '/api/mail/' },
    { method: 'GET', path: '/api//mail' },
    { method: 'DELETE', path: '/api/sessions/{ref}' },
  ]) {
    const filled = path.replace('{ref}', own.id).replaceAll(/\{\w+\}/g, 'inbox_x')
    const answer = await call(method, filled, method === 'GET' ? undefined : {})
    expect([method, path, answer.status, answer.json?.error.code]).toEqual([method, path, 403, 'auth.forbidden'])
  }
  expect(await rows(world)).toEqual(before)
  expect(isServing(world)).toBe(true)
  expect(securityLog(world).match(/"auth\.forbidden"/g)?.length).toBeGreaterThanOrEqual(closed.length)
  expect(securityLog(world)).not.toContain(world.server.core.tokenOf(own.id))
})

test('the WebSocket refuses a session’s token in the header and in the subprotocol', async () => {
  const { world, own } = await twoSessions()
  const token = world.server.core.tokenOf(own.id)
  for (const how of [
    { authorization: `Bearer ${token}` },
    { 'sec-websocket-protocol': `troupe.v1, bearer.${token}` },
  ]) {
    for (const path of ['/api/ws', `/api/ws?session=${own.id}`]) {
      const answer = await ask({ port: world.port, path, headers: { ...upgrade, ...how } })
      expect([answer.status, answer.json?.error.code]).toEqual([403, 'auth.forbidden'])
    }
  }
  expect(securityLog(world)).toContain('auth.forbidden')
})

test('a session reads itself, by its id and by its handle, and in no project but its own', async () => {
  const { world, own, call } = await twoSessions()
  const elsewhere = join(world.server.core.project.path, '..', 'home')
  for (const ref of [own.id, own.handle, own.id.slice(0, 20).toUpperCase()]) {
    for (const path of ['', '/messages', '/prompt', '/tools', '/todos', '/context', '/export']) {
      const answer = await call('GET', `/api/sessions/${ref}${path}`, undefined, { 'troupe-project': elsewhere })
      expect([ref, path, answer.status]).toEqual([ref, path, 200])
    }
    expect((await call('GET', `/api/sessions/${ref}?project=${elsewhere}`)).json.id).toBe(own.id)
    expect((await call('GET', `/api/why/${ref}?project=${elsewhere}`)).status).toBe(200)
  }
  expect((await call('GET', '/api/tools')).status).toBe(200)
})

test('no spelling of a path leads to another session', async () => {
  const { world, own, other, call } = await twoSessions()
  const before = await rows(world)
  const refs = [
    other.id,
    other.handle,
    other.id.toUpperCase(),
    `%${other.id.charCodeAt(0).toString(16)}${other.id.slice(1)}`,
    `${own.id}/../${other.id}`,
    `${own.id}%2f..%2f${other.id}`,
    own.id.slice(0, 3),
    '%25',
    '____',
    'latest',
    '',
  ]
  for (const ref of refs) {
    for (const path of [`/api/sessions/${ref}`, `/api/sessions/${ref}/messages`, `/api/why/${ref}`]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await call(method, path)
        expect([method, path, answer.status]).toEqual([method, path, 403])
      }
    }
    const mailbox = await call('GET', `/api/mail?session=${ref || 'none'}`)
    expect([ref, mailbox.status]).toEqual([ref, 403])
  }
  expect(await rows(world)).toEqual(before)
})

test('a session sees its own waiting mail, and the mail of others neither in a list nor by its id', async () => {
  const { world, own, other, call } = await twoSessions()
  for (const one of [own, other]) {
    await world.call('POST', `/api/sessions/${one.id}/pause`)
  }
  const send = async (to: Session): Promise<string> =>
    (await world.call('POST', `/api/sessions/${to.id}/messages`, { body: { content: 'for you alone' } })).json.mailId
  const [mine, theirs] = [await send(own), await send(other)]
  const list = await call('GET', '/api/mail')
  expect(list.json.items.map(({ id }: { id: string }) => id)).toEqual([mine])
  expect((await call('GET', `/api/mail?session=${own.handle}`)).json).toEqual(list.json)
  expect((await call('GET', `/api/mail/${mine}`)).json).toMatchObject({ mailId: mine, state: 'queued' })
  const before = await rows(world)
  for (const [method, path, body] of [
    ['GET', `/api/mail/${theirs}`],
    ['GET', `/api/mail/${theirs}?wait=1`],
    ['POST', `/api/mail/${theirs}/answer`, { content: 'no' }],
  ] as const) {
    const answer = await call(method, path, body)
    expect([path, answer.status, answer.json.error.code]).toEqual([path, 403, 'auth.forbidden'])
    expect(answer.text).not.toContain('for you alone')
  }
  expect((await call('GET', '/api/mail/mail_none')).status).toBe(404)
  expect(await rows(world)).toEqual(before)
})

test('a session cannot say who it is, nor wait for what another does in its turn', async () => {
  const { world, other, call } = await twoSessions()
  const before = await rows(world)
  const mail = { to: 'assistant', content: 'Hi' }
  for (const more of [{ from: { kind: 'human' } }, { from: 'human' }, { sessionId: other.id }, { as: other.id }]) {
    expect([more, (await call('POST', '/api/mail', { ...mail, ...more })).status]).toEqual([more, 400])
  }
  const waiting = await call('POST', '/api/mail', { ...mail, wait: 5 })
  expect([waiting.status, waiting.json.error.hint]).toEqual([400, expect.stringContaining('"ask": true')])
  expect(await rows(world)).toEqual(before)
})

describe('a token is refused', () => {
  test('when it is forged, cut, made for a session that never was, or of a server with another secret', async () => {
    const { world, clock, own, other } = await twoSessions()
    const token = world.server.core.tokenOf(own.id)
    const wrong = [
      token.slice(0, -1),
      `${token}x`,
      token.replace(own.id, other.id),
      `ses_${own.id}_${'A'.repeat(43)}`,
      createTokens(hex(32)).tokenOf(own.id),
      world.server.core.tokenOf(hex(16)),
    ]
    for (const one of wrong) {
      clock.at += 61_000
      const answer = await ask({ port: world.port, path: '/api/mail', headers: { authorization: `Bearer ${one}` } })
      expect([one, answer.status, answer.json.error.code]).toEqual([one, 401, 'auth.wrong'])
      const raised = await ask({
        port: world.port,
        path: '/api/ws',
        headers: { ...upgrade, authorization: `Bearer ${one}` },
      })
      expect([one, raised.status]).toEqual([one, 401])
    }
  })

  test('when there are too many wrong ones a right one is world all the same', async () => {
    const { world, own, call } = await twoSessions()
    const wrong = { authorization: `Bearer ses_${own.id}_${'A'.repeat(43)}` }
    const statuses = new Set<number>()
    for (let at = 0; at < 25; at++) statuses.add((await world.call('GET', '/api/mail', { headers: wrong })).status)
    expect([...statuses]).toEqual([401, 429])
    expect((await call('GET', '/api/mail')).status).toBe(200)
  })

  test('when its session was deleted; a closed one keeps its own', async () => {
    const { world, own, call } = await twoSessions()
    await world.call('POST', `/api/sessions/${own.id}/close`)
    expect((await call('GET', `/api/sessions/${own.id}`)).status).toBe(200)
    await world.call('DELETE', `/api/sessions/${own.id}`)
    for (const path of [`/api/sessions/${own.id}`, '/api/mail', '/api/tools', '/api/settings']) {
      const answer = await call('GET', path)
      expect([path, answer.status, answer.json.error.code]).toEqual([path, 401, 'auth.wrong'])
    }
  })

  test('when the owner’s token was replaced; until then it outlives a restart', async () => {
    const world = await createWorld()
    const session = await world.session()
    const authorization = `Bearer ${world.server.core.tokenOf(session.id)}`
    const status = async (): Promise<number> =>
      (await fetch(`${world.server.url}/api/mail`, { headers: { authorization } })).status
    await world.restart()
    expect(await status()).toBe(200)
    writeFileSync(join(world.home, 'token'), `${hex(32)}\n`)
    await world.restart()
    expect(await status()).toBe(401)
  })
})
