import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentFile } from '../../src/contract/agents.ts'
import type { ErrorBody } from '../../src/contract/api.ts'
import { cast, requestAs } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { troupe, troupeWith } from '../kit/program.ts'
import { texts } from '../kit/records.ts'
import { spawn } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const cli: AgentFile = { runtime: { kind: 'cli', preset: 'claude' } }

const refusal = async (world: World, path: string, body: unknown): Promise<ErrorBody['error']> =>
  (await world.request<ErrorBody>('POST', path, body)).body.error

describe.each(storesInTurn(import.meta.filename))('an agent that is not run by a model, on %s', (store) => {
  test('is refused with a sentence to people and to agents, and no model plays it', async () => {
    const world = await createWorld({
      store,
      files: {
        ...cast({ outside: cli, far: { runtime: { kind: 'a2a', url: 'https://agents.example' } }, boss: {} }),
        // Before trust the field has no effect; the agent is still none that a model could stand in for.
        '.troupe/agents/guest/agent.json': JSON.stringify(cli),
      },
    })
    for (const [agent, why] of [
      ['outside', 'nothing runs agents of kind "cli"'],
      ['far', 'nothing runs agents of kind "a2a"'],
      ['guest', 'has no effect until you trust this project'],
    ] as const) {
      for (const [path, body] of [
        ['/api/sessions', { agent }],
        ['/api/mail', { to: agent, content: 'Hi' }],
      ] as const) {
        const error = await refusal(world, path, body)
        expect([error.code, error.message], `${agent} ${path}`).toEqual([
          'agent.no_runtime',
          expect.stringContaining(why),
        ])
        expect(error.hint).toContain('agent.json')
      }
    }
    const boss = await world.session({ agent: 'boss' })
    world.vendor.queue({ model: 'boss' }, { calls: [spawn('outside', 'Dig')] })
    await world.say(boss.id, 'Go')
    const [{ system }] = world.vendor.requests as [SeenRequest]
    expect(system).toContain('- assistant: ')
    expect(system).not.toMatch(/- (outside|far|guest)\b/)
    expect(await world.results(boss.id)).toEqual([expect.stringContaining('nothing runs agents of kind "cli"')])
    expect(world.vendor.requests.every(({ model }) => model === 'boss')).toBe(true)
    const { items } = await world.ok<{ items: { agent: string }[] }>('GET', '/api/sessions')
    expect(items.map(({ agent }) => agent)).toEqual(['boss'])
  })

  test('an old session of one that became such ends its turn with the sentence; a mode may still have a model', async () => {
    const world = await createWorld({ store, files: cast({ ann: {} }) })
    const session = await world.session({ agent: 'ann' })
    const file = join(world.home, 'agents/ann/agent.json')
    writeFileSync(file, JSON.stringify({ ...cli, modes: { task: { runtime: { kind: 'model' } } } }))
    expect(await world.say(session.id, 'Hi')).toMatchObject({
      end: 'error',
      reason: expect.stringContaining('nothing runs agents of kind "cli"'),
    })
    expect(world.vendor.requests).toEqual([])
    const task = await world.session({ agent: 'ann', mode: 'task' })
    expect(await world.say(task.id, 'Hi')).toMatchObject({ end: 'done' })
  })

  test('a server that runs no agents of its kind ends its turn with the field and the way out', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    Reflect.deleteProperty(world.server.core.runtimes, 'model')
    expect(await world.say(session.id, 'Hi')).toMatchObject({
      end: 'error',
      reason: expect.stringMatching(/nothing runs agents of kind "model".*"runtime\.kind".*\(nothing\)/),
    })
    expect(world.vendor.requests).toEqual([])
  })
})

describe.each(storesInTurn(import.meta.filename))('the folder that a definition names, on %s', (store) => {
  test('is where a session of it works, unless the person says another', async () => {
    const world = await createWorld({ store, files: { 'docs/a.txt': '', 'src/a.txt': '', ...cast({ boss: {} }) } })
    const elsewhere = join(world.home, '..', 'elsewhere')
    mkdirSync(elsewhere)
    for (const [name, path] of Object.entries({ writer: 'docs', roamer: elsewhere, lost: 'nowhere' })) {
      mkdirSync(join(world.home, 'agents', name), { recursive: true })
      const definition = { model: `lab/${name}`, workspace: { path } }
      writeFileSync(join(world.home, 'agents', name, 'agent.json'), JSON.stringify(definition))
    }
    const writer = await world.session({ agent: 'writer' })
    expect(writer.workspace).toBe(join(world.project, 'docs'))
    expect((await world.session({ agent: 'writer', workspace: 'src' })).workspace).toBe(join(world.project, 'src'))
    expect((await world.session({ agent: 'assistant' })).workspace).toBe(world.project)
    expect(await refusal(world, '/api/sessions', { agent: 'lost' })).toMatchObject({ code: 'path.not_found' })

    world.vendor.queue({ model: 'writer' }, { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'b' } }] })
    await world.say(writer.id, 'Write')
    expect(readFileSync(join(world.project, 'docs/b.txt'), 'utf8')).toBe('b')

    // What an agent's message makes opens no folder outside to it.
    const boss = await world.session({ agent: 'boss' })
    const sent = await requestAs<ErrorBody>(world, boss, 'POST', '/api/mail', { to: 'roamer', content: 'Hi' })
    expect(sent.body.error).toMatchObject({ code: 'path.outside', message: expect.stringContaining('only a person') })
    const roamer = await world.session({ agent: 'roamer' })
    expect(roamer.workspace).toBe(elsewhere)
    expect((await requestAs(world, boss, 'POST', '/api/mail', { to: 'roamer', content: 'Hi' })).status).toBe(202)
    await world.eventually(async () => texts(await world.messages(roamer.id), 'user').includes('Hi'))
    await world.reaches(roamer.id, 'idle')
  })
})

test('what a definition says of temperature, length and thought reaches the model, and nothing where it is silent', async () => {
  const told: AgentFile = { temperature: 0.5, maxOutputTokens: 700, reasoning: 'low' }
  const world = await createWorld({ files: cast('plain', { told }) })
  for (const agent of ['told', 'plain']) await world.say((await world.session({ agent })).id, 'Hi')
  const [first, second] = world.vendor.requests.map(({ body }) => body)
  expect(first).toMatchObject({ temperature: 0.5, max_tokens: 700, reasoning_effort: 'low' })
  expect(Object.keys(second!).filter((name) => /temperature|reasoning/.test(name))).toEqual([])
})

test('as many backups are kept as storage.backups says, the newest; other files in their folder stay', async () => {
  let now = Date.UTC(2030, 0, 1)
  const clock = { now: () => (now += 1000) }
  const world = await createWorld({ settings: { storage: { backups: 2 } }, clock })
  const folder = join(world.home, 'backups')
  mkdirSync(folder)
  writeFileSync(join(folder, 'before-the-trip.db'), 'mine')
  writeFileSync(join(folder, 'data-2029-01-01T00-00-00-000Z.db.part'), 'cut off')
  const made: string[] = []
  for (let at = 0; at < 4; at++) made.push((await world.ok<{ file: string }>('POST', '/api/backup', {})).file)
  expect(made.filter((file) => existsSync(file))).toEqual(made.slice(-2))
  expect(readdirSync(folder)).toHaveLength(3)
  expect(readFileSync(join(folder, 'before-the-trip.db'), 'utf8')).toBe('mine')
  // At once they do not get into each other's way.
  const both = await Promise.all([1, 2].map(() => world.ok<{ file: string }>('POST', '/api/backup', {})))
  expect(both.every(({ file }) => existsSync(file))).toBe(true)
})

test('what has no effect yet is named where problems are listed: doctor, agents, config and status', async () => {
  const world = await createWorld({ settings: { titles: 'model' }, files: cast({ ann: { icon: 'a' } }) })
  const field = 'agent.json, icon: has no effect yet'
  const setting = 'settings.json, titles: has no effect yet'
  chmodSync(join(world.home, 'settings.json'), 0o600)
  const doctor = (await troupe(world, 'doctor')).replace(/\s+/g, ' ')
  expect(doctor).toContain(field)
  expect(doctor).toContain(setting)
  expect(await troupe(world, 'agents')).toContain(field)
  expect(await troupe(world, 'config', 'list')).toContain(setting)
  const { problems } = await world.ok<{ problems: unknown[] }>('GET', '/api/status')
  expect(problems).toMatchObject([{ field: 'titles' }])
})

test('the doctor asks the SQLite that is loaded, whatever Node says it was built with', async () => {
  const world = await createWorld()
  chmodSync(join(world.home, 'settings.json'), 0o600)
  const built = `Object.defineProperty(process, 'versions', { value: { ...process.versions, sqlite: '3.1.0' } })`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(built)}` }
  const { checks } = JSON.parse(await troupeWith(world, env, 'doctor', '--json'))
  expect(checks.find(({ what }: { what: string }) => what === 'sqlite')).toEqual({
    what: 'sqlite',
    state: 'ok',
    found: process.versions.sqlite,
  })
})
