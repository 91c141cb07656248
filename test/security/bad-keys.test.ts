import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { listAgents } from '../../src/core/config/agents/find.ts'
import { effectiveSettings } from '../../src/core/config/settings/effective.ts'
import { makeFolders } from '../kit/folders.ts'
import { openSocket } from '../kit/streams.ts'
import { createWorld } from '../kit/world.ts'

const names = ['__proto__', 'constructor', 'prototype', '__pr\\u006fto__']
const shown = (name: string) => JSON.parse(`"${name}"`) as string

// Nothing may have reached what every object is made of.
afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test.each(names)('%s is a bad key like any other, in whatever the server is sent', async (name) => {
  const world = await createWorld()
  const session = await world.session()
  const file = join(world.home, 'settings.json')
  const before = readFileSync(file, 'utf8')
  const inner = `{"${name}":{"polluted":true}}`
  const requests: [string, string, string][] = [
    ['PATCH', '/api/settings', `{"where":"home","changes":${inner}}`],
    ['PATCH', '/api/settings', `{"where":"home","changes":{"${name}.polluted":true}}`],
    ['PATCH', '/api/settings', `{"where":"home","changes":{"limits.${name}":5}}`],
    ['PATCH', '/api/settings', `{"where":"home","changes":{"providers":${inner}}}`],
    ['PATCH', '/api/settings', `{"where":"home","changes":{"providers.${name}":{"apiKey":"x"}}}`],
    ['PATCH', '/api/settings', `{"where":"project","changes":{"providers.lab.headers":{"${name}":"x"}}}`],
    ['PUT', '/api/agents/sly', `{"definition":${inner}}`],
    ['PUT', '/api/agents/sly', `{"definition":{"mcpServers":${inner}}}`],
    ['POST', '/api/sessions', `{"agent":"assistant","attributes":${inner}}`],
    ['POST', '/api/mail', `{"to":"assistant","content":"x","${name}":{}}`],
    ['POST', `/api/sessions/${session.id}/messages`, `{"content":"x","${name}":{}}`],
    ['POST', '/api/permissions/check', `{"tool":"bash","input":${inner}}`],
  ]
  for (const [method, path, body] of requests)
    expect([body, (await world.call(method, path, { body })).status]).toEqual([body, 400])
  for (const model of [`${name}/x`, `lab/${name}`].map(shown)) {
    const { status } = await world.call('POST', '/api/sessions', { body: { agent: 'assistant', model } })
    expect([model, status < 500]).toEqual([model, true])
  }
  const socket = await openSocket(world)
  socket.send(`{"op":"send","id":1,"to":"assistant","content":"x","${name}":{}}`)
  await socket.until(({ frames }) => frames.length > 0)
  expect(socket.frames[0].error.code).toBe('request.invalid')
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(existsSync(join(world.project, '.troupe', 'agents', 'sly'))).toBe(false)
})

test.each(names)('%s in a file is named as an unknown key, and the rest of the file holds', async (name) => {
  const { core, project, putHome } = makeFolders()
  putHome(
    'settings.json',
    `{"limits":{"maxIterations":7,"${name}":{"polluted":1}},"${name}":{"polluted":1},"providers":{"${name}":{"polluted":1}}}`,
  )
  const { settings, problems } = await effectiveSettings(core, project)
  expect(settings.limits.maxIterations).toBe(7)
  expect(Object.keys(settings.providers ?? {})).toEqual([])
  const key = shown(name)
  expect(problems.map(({ field }) => field).toSorted()).toEqual([key, `limits.${key}`, `providers.${key}`].toSorted())

  putHome('agents/json/agent.json', `{"description":"x","mcpServers":{"${name}":{"polluted":1}}}`)
  putHome('agents/yaml.md', `---\ndescription: x\n"${name}":\n  polluted: 1\n---\nHi`)
  putHome('agents/deep.md', `---\nmcpServers:\n  "${name}": {polluted: 1}\n---\nHi`)
  const agents = (await listAgents(core, project)).filter(({ source }) => source === 'global')
  for (const agent of agents)
    expect([agent.name, agent.broken, agent.problems[0]?.field?.endsWith(key)]).toEqual([agent.name, true, true])
  expect(agents).toHaveLength(3)
})

test.each(names)('%s in the arguments of a call makes the call wrong, and nothing runs', async (name) => {
  const world = await createWorld({ settings: { permissions: { allow: ['*'] } } })
  world.vendor.reply(
    { calls: [{ name: 'bash', input: JSON.parse(`{"command":"touch ran","${name}":{"polluted":true}}`) }] },
    { calls: [{ name: shown(name), input: {} }] },
    { text: 'Done.' },
  )
  const session = await world.session({ agent: 'coder' })
  await world.say(session.id, 'Go')
  const results = await world.results(session.id)
  expect(results).toEqual([expect.stringContaining(shown(name)), expect.stringContaining('There is no tool')])
  expect(existsSync(join(world.project, 'ran'))).toBe(false)
})
