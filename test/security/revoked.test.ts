import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type StartedServer, startServer } from '../../src/app.ts'
import type { Device } from '../../src/contract/devices.ts'
import { hex } from '../../src/lib/ids.ts'
import { requestAs } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { openSocket, openStream } from '../kit/streams.ts'
import { createWorld, type World } from '../kit/world.ts'

/** A device of its own, as a phone gets one. */
async function logIn(world: World, name = 'phone') {
  const { code } = await world.ok<{ code: string }>('POST', '/api/devices/code', {})
  const { token, device } = await world.ok<{ token: string; device: Device }>('POST', '/api/login', { code, name })
  return { token, device, headers: { authorization: `Bearer ${token}` } }
}

const revoke = (world: World, { device }: { device: Device }) => world.ok('DELETE', `/api/devices/${device.id}`)

/** A request that stays open: what becomes of it, an answer or a cut connection. */
function slow(world: World, headers: Record<string, string>, method: string, path: string) {
  const sent = request({ host: '127.0.0.1', port: world.port, method, path, headers, agent: false })
  const ended = new Promise<number | undefined>((resolve) => {
    sent.on('error', () => resolve(undefined))
    sent.on('response', (response) => resolve(response.resume().statusCode))
  })
  return { sent, ended }
}

describe('a device that is revoked', () => {
  test('loses its sockets, streams and waiting requests at once; others keep theirs', async () => {
    const world = await createWorld()
    const phone = await logIn(world)
    const tablet = await logIn(world, 'tablet')
    const session = await world.session()
    const [socket, quiet, stream, other, own] = await Promise.all([
      openSocket(world, '?deltas=true', phone.token),
      openSocket(world, '', phone.token),
      openStream(world, '', phone.headers),
      openSocket(world, '?deltas=true', tablet.token),
      openSocket(world, '?deltas=true'),
    ])
    await other.until(({ seq }) => seq !== undefined)
    const waiting = slow(world, phone.headers, 'GET', `/api/mail?session=${session.id}&questions=true&wait=60`)
    waiting.sent.end()
    await world.eventually(async () => stream.seq !== undefined)
    const got = [socket, stream].map(({ events }) => events.length)

    await revoke(world, phone)
    expect(await socket.closed).toEqual({ code: 4401, reason: 'The token of this connection was revoked.' })
    expect((await quiet.closed).code).toBe(4401)
    await stream.closed
    expect([undefined, 401]).toContain(await waiting.ended)

    await world.ok('PATCH', `/api/sessions/${session.id}`, { title: 'later' })
    for (const reader of [other, own])
      await reader.until(({ events }) => events.some(({ type }) => type === 'session.updated'))
    expect([socket, stream].map(({ events }) => events.length)).toEqual(got)
  })

  test('answers no approval, not even with a frame that comes after the goodbye', async () => {
    const world = await createWorld()
    world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'touch ran' } }] }, { text: 'Done.' })
    const phone = await logIn(world)
    const socket = await openSocket(world, '', phone.token)
    const session = await world.session({ agent: 'coder' })
    await world.say(session.id, 'Go')
    const [item] = await world.inbox()
    // It does not hear the goodbye, so for all it knows the connection is open.
    socket.pause()
    await revoke(world, phone)
    socket.send({ op: 'answer', id: 'late', inboxId: item!.id, decision: 'always' })
    socket.resume()
    await socket.closed
    expect((await world.inbox()).map(({ id }) => id)).toEqual([item!.id])
  })

  test('does nothing with a request whose body comes later', async () => {
    const world = await createWorld()
    const phone = await logIn(world)
    const json = { ...phone.headers, 'content-type': 'application/json' }
    const { sent, ended } = slow(world, json, 'POST', '/api/sessions')
    sent.write('{"agent":')
    await world.ok('GET', '/api/status')
    await revoke(world, phone)
    sent.end('"assistant"}')
    expect([undefined, 401]).toContain(await ended)
    expect((await world.ok('GET', '/api/sessions')).items).toEqual([])
  })

  test('may have revoked itself, which is its logout, and gets the answer', async () => {
    const world = await createWorld()
    const phone = await logIn(world)
    const socket = await openSocket(world, '', phone.token)
    const { status } = await world.call('DELETE', `/api/devices/${phone.device.id}`, { headers: phone.headers })
    expect(status).toBe(200)
    expect((await socket.closed).code).toBe(4401)
    expect((await world.call('GET', '/api/status', { headers: phone.headers })).status).toBe(401)
  })
})

test('when the owner’s token was replaced, whoever held the old one is cut off with the restart', async () => {
  const world = await createWorld()
  const { token } = world.server
  const socket = await openSocket(world)
  writeFileSync(join(world.home, 'token'), `${hex(32)}\n`)
  await world.restart()
  expect((await socket.closed).code).toBe(1001)
  await expect(openSocket(world, '', token)).rejects.toThrow('401')
})

describe.each(storesInTurn(import.meta.filename))('the token of a session on %s', (store) => {
  test('waits for nothing any more once its session is deleted', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    const headers = { authorization: `Bearer ${world.server.core.tokenOf(session.id)}` }
    const waiting = slow(world, headers, 'GET', '/api/mail?questions=true&wait=60')
    waiting.sent.end()
    expect((await requestAs(world, session, 'GET', '/api/mail')).status).toBe(200)
    await world.ok('DELETE', `/api/sessions/${session.id}`)
    expect([undefined, 401]).toContain(await waiting.ended)
  })

  test('sends nothing while its session is closed, and reads on', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    await world.ok('POST', `/api/sessions/${session.id}/close`)
    const sent = await requestAs(world, session, 'POST', '/api/mail', { to: 'writer', content: 'Hi' })
    expect(sent.status).toBe(409)
    expect((await requestAs(world, session, 'GET', `/api/sessions/${session.id}`)).status).toBe(200)
    await world.ok('POST', `/api/sessions/${session.id}/reopen`)
    expect((await requestAs(world, session, 'POST', '/api/mail', { to: 'writer', content: 'Hi' })).status).toBe(202)
  })
})

describe('two servers on one PostgreSQL', () => {
  /** Another server, with a data folder of its own. */
  async function beside(world: World): Promise<StartedServer> {
    const { env } = world.server.core
    const other = await startServer({ home: `${world.home}-2`, project: world.project, env, port: 0 })
    onTestFinished(() => other.stop())
    return other
  }

  test('know their own devices only, so no other has to be told that one was revoked', async () => {
    const world = await createWorld({ store: 'postgres' })
    const other = await beside(world)
    const phone = await logIn(world)
    for (const headers of [phone.headers, { authorization: `Bearer ${world.server.token}` }])
      expect((await fetch(`${other.url}/api/status`, { headers })).status).toBe(401)
  })

  test('cut off the token of a session that was deleted at the other', async () => {
    const world = await createWorld({ store: 'postgres' })
    const other = await beside(world)
    const session = await world.session()
    const headers = { authorization: `Bearer ${world.server.core.tokenOf(session.id)}` }
    const waiting = slow(world, headers, 'GET', '/api/mail?questions=true&wait=60')
    waiting.sent.end()
    expect((await requestAs(world, session, 'GET', '/api/mail')).status).toBe(200)
    const owner = { authorization: `Bearer ${other.token}` }
    const deleted = await fetch(`${other.url}/api/sessions/${session.id}`, { method: 'DELETE', headers: owner })
    expect(deleted.status).toBe(200)
    expect([undefined, 401]).toContain(await waiting.ended)
  })
})
