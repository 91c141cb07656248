import { once } from 'node:events'
import { mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../src/app.ts'
import { type Desk, openDesk } from '../kit/desk.ts'
import { createWorld } from '../kit/world.ts'

const start = (home: string) => startServer({ home, project: home, env: {}, port: 0 })

describe('what keeps a server from starting is one sentence with the way out', () => {
  let desk: Desk
  let squatter: Server
  beforeAll(async () => {
    desk = openDesk()
    desk.put('a-file', 'not a folder')
    squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
  })
  afterAll(async () => {
    squatter.close()
    await desk.close()
  })
  const taken = (): string => String((squatter.address() as AddressInfo).port)
  const inFile = (...more: string[]): string => join(desk.project, 'a-file', ...more)
  const postgres = (url: string) => ({ TROUPE_DATABASE_URL: url })

  test.each<[string, () => { words?: string[]; env?: Record<string, string> }, string, string]>([
    ['a home in /proc', () => ({ env: { TROUPE_HOME: '/proc/nope' } }), 'nothing can be made there', 'TROUPE_HOME'],
    ['a home in a file', () => ({ env: { TROUPE_HOME: inFile('x') } }), 'is a file', 'TROUPE_HOME'],
    ['a home that is a file', () => ({ env: { TROUPE_HOME: inFile() } }), 'is a file', 'TROUPE_HOME'],
    ['a taken port', () => ({ words: ['--port', taken()] }), 'is taken by another program', '--port 0'],
    ['an address of others', () => ({ env: { TROUPE_HOST: '0.0.0.0' } }), 'other machines can reach', 'Use 127.0.0.1'],
    [
      'a closed database',
      () => ({ env: postgres('postgres://127.0.0.1:9/x') }),
      'nothing listens there',
      'DATABASE_URL',
    ],
    [
      'no database host',
      () => ({ env: postgres('postgres://none.invalid/x') }),
      'could not be reached',
      'DATABASE_URL',
    ],
    ['no project', () => ({ words: ['--project', inFile()] }), 'There is no folder', 'Name an existing folder'],
  ])('%s', async (_, given, said, way) => {
    const { words = [], env = {} } = given()
    for (const command of [['up'], ['up', '--detach']]) {
      const running = desk.start([...command, ...words], { env })
      running.child.stdin?.end()
      const { code, out, err } = await running.done
      expect([code === 1 || code === 3, out]).toEqual([true, ''])
      expect(err).toContain(said)
      expect(err).toContain(way)
      expect(err).not.toMatch(/^\s+at /m)
    }
  })

  test('neither an unreachable OLLAMA_HOST nor settings that cannot be read stop it, and "status" says both', async () => {
    mkdirSync(join(desk.home, 'settings.json'), { recursive: true })
    const env = { OLLAMA_HOST: 'http://no address' }
    await desk.start(['up', '--detach'], { env }).done
    const { code, out, err } = await desk.start(['status'], { env }).done
    expect(code).toBe(0)
    expect(out).toContain('no Ollama with a model answers at OLLAMA_HOST, http://no address')
    expect(err).toContain(join(desk.home, 'settings.json'))
  })
})

test('a database that is none is named and left as it is', async () => {
  const world = await createWorld()
  await world.server.stop()
  const file = join(world.home, 'data.db')
  writeFileSync(file, 'x'.repeat(5000))
  await expect(start(world.home)).rejects.toMatchObject({
    code: 'store.unusable',
    message: `The database ${file} cannot be used: it is not a database.`,
    hint: expect.stringContaining('backup'),
  })
})

test('a database that was emptied is no new one: it is named, and what is in its place again is used', async () => {
  const world = await createWorld()
  const session = await world.session()
  const file = join(world.home, 'data.db')
  await world.server.stop()
  renameSync(file, `${file}.away`)
  writeFileSync(file, '')
  await expect(start(world.home)).rejects.toMatchObject({
    code: 'store.unusable',
    message: `The database ${file} cannot be used: it was emptied.`,
    hint: expect.stringContaining('move it away to begin anew'),
  })
  renameSync(`${file}.away`, file)
  await world.restart()
  expect((await world.look(session.id)).id).toBe(session.id)
})

test('a first start that was cut off before it wrote a byte is begun again', async () => {
  const world = await createWorld()
  const home = join(world.home, 'cut-off')
  mkdirSync(home)
  writeFileSync(join(home, 'data.db'), '')
  await (await start(home)).stop()
})

test('nothing is accepted once the database file is emptied', async () => {
  const world = await createWorld()
  const session = await world.session()
  truncateSync(join(world.home, 'data.db'))
  const refused = await world.call('POST', `/api/sessions/${session.id}/messages`, { body: { content: 'Hello' } })
  expect([refused.status, refused.json.error.code]).toEqual([503, 'store.removed'])
})

test('nothing is accepted once the database file is gone, and all goes on when it is back', async () => {
  const world = await createWorld()
  const session = await world.session()
  const file = join(world.home, 'data.db')
  renameSync(file, `${file}.away`)
  const refused = await world.call('POST', `/api/sessions/${session.id}/messages`, { body: { content: 'Hello' } })
  expect([refused.status, refused.json.error.code]).toEqual([503, 'store.removed'])
  expect((await world.call('GET', '/api/status')).json.error.message).toContain('was removed, replaced or emptied')
  renameSync(`${file}.away`, file)
  expect(await world.say(session.id, 'Hello')).toMatchObject({ end: 'done' })
})
