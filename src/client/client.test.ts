import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createWorld } from '../../test/kit/world.ts'
import { type ClientOptions, createClient } from './client.ts'
import { CallFailure } from './failure.ts'
import { fetchTransport, type Transport } from './transport.ts'

const clientAt = (url: string, more: Partial<ClientOptions> = {}) =>
  createClient({ transport: fetchTransport(url), token: 'none', ...more })

/** Another program that listens on a port. */
async function stranger(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  server.closeIdleConnections()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const failureOf = (call: Promise<unknown>): Promise<CallFailure> =>
  call.then(
    () => expect.fail('It did not fail.'),
    (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(CallFailure)
      return thrown as CallFailure
    },
  )

test('a route is called by its name and answers with its own type', async () => {
  const { url, token } = (await createWorld()).server
  const client = clientAt(url, { token })
  const made = await client.call('POST /api/sessions', { body: { agent: 'assistant', title: 'Plans / 100% ?' } })
  const { value, seq } = await client.snapshot('GET /api/sessions/{ref}', { params: { ref: made.handle } })
  expect([value.id, value.title]).toEqual([made.id, 'Plans / 100% ?'])
  await client.call('PATCH /api/sessions/{ref}', { params: { ref: made.id }, body: { title: 'Other' } })
  const { items } = await client.call('GET /api/events', { query: { after: seq, types: ['session.updated', 'log'] } })
  expect(items.map(({ data }) => data)).toEqual([{ changed: { title: 'Other' } }])
  const asked = { params: { ref: made.id }, query: { format: 'md' } } as const
  expect(await client.call('GET /api/sessions/{ref}/export', asked)).toContain('# Other')
})

test('every page of a list is read', async () => {
  const { url, token } = (await createWorld()).server
  const client = clientAt(url, { token })
  for (const title of ['one', 'two', 'three'])
    await client.call('POST /api/sessions', { body: { agent: 'assistant', title } })
  const all = await client.all('GET /api/sessions', { query: { limit: 2 } })
  expect(all.map(({ title }) => title).toSorted()).toEqual(['one', 'three', 'two'])
})

test('a list without an end is read for fifty pages', async () => {
  let pages = 0
  const url = await stranger((_, response) => {
    pages += 1
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ items: [pages], nextCursor: '1' }))
  })
  expect(await clientAt(url).all('GET /api/tools')).toHaveLength(50)
  expect(pages).toBe(50)
})

test('what carries it is told what may be sent twice: reading, and what has an id of its own', async () => {
  const told: boolean[] = []
  const transport: Transport = {
    url: '',
    async send(_path, { repeatable }) {
      told.push(repeatable)
      return Response.json({})
    },
  }
  const client = createClient({ transport, token: 'none' })
  await client.call('GET /api/status')
  await client.call('POST /api/mail', { body: { to: 'a', content: 'b', clientId: 'one' } })
  await client.call('POST /api/mail', { body: { to: 'a', content: 'b' } })
  await client.call('POST /api/backup')
  expect(told).toEqual([true, true, false, false])
})

test('what stands in a path or a query arrives as it was', async () => {
  const seen: (string | undefined)[] = []
  const url = await stranger(({ url: path }, response) => {
    seen.push(path)
    response.setHeader('content-type', 'application/json').end('{"items":[]}')
  })
  const client = clientAt(url, { project: '/a folder/100%' })
  await client.call('GET /api/agents/{name}', { params: { name: '../x?y' } })
  await client.call('GET /api/sessions', { query: { project: '*', q: 'a&b', agent: undefined } })
  expect(seen).toEqual(['/api/agents/..%2Fx%3Fy?project=%2Fa+folder%2F100%25', '/api/sessions?project=*&q=a%26b'])
})

test('a failure says what it is: refused, not Troupe, too late, or no connection', async () => {
  const { url, token } = (await createWorld()).server
  const refused = await failureOf(clientAt(url, { token }).call('GET /api/why/{ref}', { params: { ref: 'ffffffff' } }))
  expect(refused).toMatchObject({ kind: 'refused', code: 'session.not_found' })
  expect((await failureOf(clientAt(url).call('GET /api/status'))).code).toBe('auth.wrong')

  const foreign = await stranger((_, response) => void response.writeHead(502).end('<html>'))
  expect((await failureOf(clientAt(foreign).call('GET /api/status'))).kind).toBe('foreign')

  const silent = await stranger(() => {})
  expect((await failureOf(clientAt(silent).call('GET /api/status', { timeoutMs: 20 }))).kind).toBe('timeout')

  const lost = await failureOf(clientAt('http://127.0.0.1:1').call('GET /api/status'))
  expect([lost.kind, lost.cause instanceof Error, 'cause' in refused]).toEqual(['lost', true, false])
})
