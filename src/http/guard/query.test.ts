import { expect, test } from 'vitest'
import { ask, upgrade } from '../../../test/kit/http.ts'
import { isServing } from '../../../test/kit/records.ts'
import { openSocket } from '../../../test/kit/streams.ts'
import { createWorld, type World } from '../../../test/kit/world.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly string[]
  /** The fields of its answer. */
  readonly answer: readonly string[]
}

/** Every route, as the API describes itself, with something in place of each `{name}`. */
async function operations(world: World): Promise<Operation[]> {
  const { json } = await world.call('GET', '/api/openapi.json')
  return Object.entries<Record<string, ReturnType<typeof JSON.parse>>>(json.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], responses }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'x'),
      parameters: parameters
        .filter((one: { in: string }) => one.in === 'query')
        .map((one: { name: string }) => one.name),
      answer: Object.keys(responses['200']?.content?.['application/json']?.schema?.properties ?? {}),
    })),
  )
}

test('a query parameter that a route does not take is refused by name, on every route', async () => {
  const world = await createWorld()
  const all = await operations(world)
  expect(all.length).toBeGreaterThan(40)
  for (const { method, path, parameters } of all) {
    const { status, json } = await world.call(
      method,
      `${path}?surprise=1&project=x`,
      method === 'GET' ? {} : { body: {} },
    )
    expect([path, status, json?.error?.code]).toEqual([path, 400, 'request.invalid'])
    expect(json.error.message).toContain('"surprise"')
    for (const name of parameters) expect(json.error.hint).toContain(name)
  }
  expect(isServing(world)).toBe(true)
})

test('a filter that is not there yet is refused, and those that are work', async () => {
  const world = await createWorld()
  const { json } = await world.call('GET', '/api/sessions?node=node_1&tag=a')
  expect(json.error.message).toBe('The query parameters "node", "tag" are not known here.')
  expect((await world.call('GET', '/api/sessions?agent=assistant&status=idle&q=x&limit=5')).status).toBe(200)
  const socket = await ask({
    port: world.port,
    path: '/api/ws?sesion=1',
    headers: { authorization: `Bearer ${world.server.token}`, ...upgrade },
  })
  expect([socket.status, socket.json.error.message]).toEqual([400, expect.stringContaining('"sesion"')])
  const wrong = await openSocket(world, '?deltas=perhaps')
  await wrong.until(({ frames }) => frames.length > 0)
  expect(wrong.frames[0].error.code).toBe('request.invalid')
})

test('every list is paged, and says so when a cursor is none of its own', async () => {
  const world = await createWorld()
  const { json: session } = await world.call('POST', '/api/sessions', { body: { agent: 'assistant' } })
  const lists = (await operations(world)).filter(({ method, answer }) => method === 'GET' && answer.includes('items'))
  expect(lists.length).toBeGreaterThan(12)
  // These take no cursor: settings are one document in lines, events go on from a seq, and what is short or shown whole comes in one piece.
  const others = [
    '/api/settings',
    '/api/files',
    '/api/events',
    '/api/tasks/x/events',
    '/api/tasks/x/tree',
    '/api/top',
    '/api/daemons',
    '/api/budgets',
    '/api/hooks',
    '/api/mcp',
    '/api/skills/problems',
    '/api/runs/x/workers',
    '/api/runs/x/files',
  ]
  const { json: run } = await world.call('POST', '/api/runs', { body: { goal: 'Look' } })
  const { json: trigger } = await world.call('POST', '/api/triggers', {
    body: {
      type: 'delayed',
      config: { delaySeconds: 3600 },
      action: { type: 'send', to: 'assistant', message: 'Look' },
    },
  })
  for (const { path, parameters } of lists.filter((list) => !others.includes(list.path))) {
    expect([path, parameters]).toEqual([path, expect.arrayContaining(['limit', 'cursor'])])
    const filled = path
      .replace('triggers/x/', `triggers/${trigger.id}/`)
      .replace('runs/x/', `runs/${run.id}/`)
      .replace('/x/', `/${session.id}/`)
    const wanted = { session: session.id, text: 'look' }
    const given = Object.entries(wanted).filter(([name]) => parameters.includes(name))
    const named = `${filled}?${given.map(([name, value]) => `${name}=${value}&`).join('')}`
    expect([path, (await world.call('GET', `${named}cursor=nonsense`)).status]).toEqual([path, 400])
    expect([path, (await world.call('GET', `${named}limit=1`)).status]).toEqual([path, 200])
  }
})

test('the pages of a short list hold each item once', async () => {
  const world = await createWorld()
  const names = ({ json }: { json: { items: { name: string }[] } }) => json.items.map(({ name }) => name)
  const whole = await world.call('GET', '/api/agents')
  expect(names(whole).length).toBeGreaterThan(3)
  const seen: string[] = []
  let cursor = ''
  do {
    const page = await world.call('GET', `/api/agents?limit=2${cursor}`)
    expect(page.json.items.length).toBeLessThanOrEqual(2)
    seen.push(...names(page))
    cursor = page.json.nextCursor === undefined ? '' : `&cursor=${page.json.nextCursor}`
  } while (cursor !== '')
  expect(seen).toEqual(names(whole))
})
