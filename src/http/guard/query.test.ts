import { expect, test } from 'vitest'
import { ask, type Served, serve } from '../../../test/kit/serve.ts'
import { openSocket } from '../../../test/kit/streams.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly string[]
  /** The fields of its answer. */
  readonly answer: readonly string[]
}

/** Every route, as the API describes itself, with something in place of each `{name}`. */
async function operations(served: Served): Promise<Operation[]> {
  const { json } = await served.call('GET', '/api/openapi.json')
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
  const served = await serve()
  const all = await operations(served)
  expect(all.length).toBeGreaterThan(40)
  for (const { method, path, parameters } of all) {
    const { status, json } = await served.call(
      method,
      `${path}?surprise=1&project=x`,
      method === 'GET' ? {} : { body: {} },
    )
    expect([path, status, json?.error?.code]).toEqual([path, 400, 'request.invalid'])
    expect(json.error.message).toContain('"surprise"')
    for (const name of parameters) expect(json.error.hint).toContain(name)
  }
  expect(served.shutdowns).toBe(0)
})

test('a filter that is not there yet is refused, and those that are work', async () => {
  const served = await serve()
  const { json } = await served.call('GET', '/api/sessions?run=run_1&tag=a')
  expect(json.error.message).toBe('The query parameters "run", "tag" are not known here.')
  expect((await served.call('GET', '/api/sessions?agent=assistant&status=idle&q=x&limit=5')).status).toBe(200)
  const socket = await ask({
    port: served.port,
    path: '/api/ws?sesion=1',
    headers: { authorization: `Bearer ${served.token}`, ...upgrade },
  })
  expect([socket.status, socket.json.error.message]).toEqual([400, expect.stringContaining('"sesion"')])
  const wrong = await openSocket(served, '?deltas=perhaps')
  await wrong.until(({ frames }) => frames.length > 0)
  expect(wrong.frames[0].error.code).toBe('request.invalid')
})

const upgrade = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16).toString('base64'),
}

test('every list is paged, and says so when a cursor is none of its own', async () => {
  const served = await serve()
  const { json: session } = await served.call('POST', '/api/sessions', { body: { agent: 'assistant' } })
  const lists = (await operations(served)).filter(({ method, answer }) => method === 'GET' && answer.includes('items'))
  expect(lists.length).toBeGreaterThan(12)
  // These two take no cursor: settings are one document in lines, and events go on from a seq.
  const others = ['/api/settings', '/api/events']
  for (const { path, parameters } of lists.filter((list) => !others.includes(list.path))) {
    expect([path, parameters]).toEqual([path, expect.arrayContaining(['limit', 'cursor'])])
    const named = `${path.replace('/x/', `/${session.id}/`)}?session=${session.id}&`.replace(
      /\?session=\w+&/,
      (text) => (parameters.includes('session') ? text : '?'),
    )
    expect([path, (await served.call('GET', `${named}cursor=nonsense`)).status]).toEqual([path, 400])
    expect([path, (await served.call('GET', `${named}limit=1`)).status]).toEqual([path, 200])
  }
})

test('the pages of a short list hold each item once', async () => {
  const served = await serve()
  const names = ({ json }: { json: { items: { name: string }[] } }) => json.items.map(({ name }) => name)
  const whole = await served.call('GET', '/api/agents')
  expect(names(whole).length).toBeGreaterThan(3)
  const seen: string[] = []
  let cursor = ''
  do {
    const page = await served.call('GET', `/api/agents?limit=2${cursor}`)
    expect(page.json.items.length).toBeLessThanOrEqual(2)
    seen.push(...names(page))
    cursor = page.json.nextCursor === undefined ? '' : `&cursor=${page.json.nextCursor}`
  } while (cursor !== '')
  expect(seen).toEqual(names(whole))
})
