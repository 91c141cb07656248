import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createFastFetch, type FastFetch } from './fast-fetch.ts'

let server: Server
let url: string
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.end('hello')
const sockets = new Set<unknown>()

beforeAll(async () => {
  server = createServer((request, response) => {
    sockets.add(request.socket)
    answer(request, response)
  })
  url = await listen(server)
})
afterAll(() => void server.close().closeAllConnections())

async function listen(to: { listen(port: number, host: string, done: () => void): unknown; address(): unknown }) {
  await new Promise<void>((resolve) => void to.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(to.address() as AddressInfo).port}`
}

function open(env: Record<string, string> = {}): FastFetch {
  const made = createFastFetch({ env })
  onTestFinished(() => made.close())
  return made
}

test('a request arrives whole and the answer comes back whole', async () => {
  answer = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method } = request
    const { authorization, 'content-length': length } = request.headers
    response.writeHead(201, { 'x-seen': 'yes' })
    response.end(JSON.stringify({ method, authorization, length, body: Buffer.concat(chunks).toString() }))
  }
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
  const response = await open().fetch(url, { method: 'POST', headers, body: '{"a":"ü"}' })
  expect([response.status, response.ok, response.headers.get('x-seen')]).toEqual([201, true, 'yes'])
  expect(await response.json()).toEqual({ method: 'POST', authorization: 'Bearer k', length: '10', body: '{"a":"ü"}' })
})

test('behind the guard a name is resolved once, its checked address connected to without a proxy, a private one never', async () => {
  answer = (request, response) => void response.end(request.headers.host)
  const { port } = new URL(url)
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return ['127.0.0.1']
  }
  const { guarded } = open({ HTTP_PROXY: 'http://127.0.0.1:9' })
  const own = 'http://localhost:1'
  const there = guarded(() => ({ own, resolve, allows: () => true }))
  expect(await (await there(`http://shop.test:${port}/`)).text()).toBe(`shop.test:${port}`)
  expect(asked).toEqual(['shop.test'])
  sockets.clear()
  const refused = guarded(() => ({ own, resolve }))
  await expect(refused(`http://shop.test:${port}/`)).rejects.toThrow(/shop\.test is at 127\.0\.0\.1/)
  await expect(refused(url)).rejects.toThrow(/of this machine/)
  expect(sockets.size).toBe(0)
})

test('one connection serves request after request', async () => {
  answer = (_, response) => void response.end('hello')
  const { fetch } = open()
  sockets.clear()
  for (let n = 0; n < 5; n++) await (await fetch(url)).text()
  expect(sockets.size).toBe(1)
})

test('a kept connection that the server has closed meanwhile is replaced without anyone noticing', async () => {
  answer = (_, response) => void response.end('hello')
  const { fetch } = open()
  await (await fetch(url)).text()
  let dropped = 0
  answer = (request, response) => {
    if (dropped++ === 0) request.socket.destroy()
    else response.end('again')
  }
  expect(await (await fetch(url, { method: 'POST', body: 'x' })).text()).toBe('again')
})

test('every piece that arrives is told, also comments; and the pieces stream', async () => {
  answer = (_, response) => {
    response.write(': comment\n\n')
    response.write('data: 1\n\n', () => response.end('data: 2\n\n'))
  }
  const { fetch, watch } = open()
  const stop = new AbortController()
  let pieces = 0
  watch(stop.signal, () => {
    pieces += 1
  })
  const response = await fetch(url, { signal: stop.signal })
  expect(await response.text()).toBe(': comment\n\ndata: 1\n\ndata: 2\n\n')
  expect(pieces).toBeGreaterThan(1)
})

test('an abort ends the request before and in the middle of the answer, and closes the connection', async () => {
  const { fetch } = open()
  const closed = Promise.withResolvers<void>()
  answer = (request, response) => {
    response.write('half')
    request.socket.once('close', () => closed.resolve())
  }
  const stop = new AbortController()
  const response = await fetch(url, { signal: stop.signal })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  stop.abort()
  await expect(reader.read()).rejects.toThrow()
  await closed.promise
  await expect(fetch(url, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i)
})

test('a connection that breaks off in the middle is an error, not an end', async () => {
  answer = (request, response) => void response.write('half', () => request.socket.destroy())
  const response = await open().fetch(url)
  await expect(response.text()).rejects.toThrow()
})

test('a redirect is not followed: the key would go along', async () => {
  answer = (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
  expect((await open().fetch(url)).status).toBe(302)
})

test('proxies are used, with their exceptions, and a slip in the environment is passed over', async () => {
  answer = (request, response) => void response.end(`reached ${request.headers.host}`)
  const proxy = createServer((request, response) => {
    // A plain request names the whole address.
    response.end(`proxied ${new URL(request.url ?? '').host}`)
  })
  proxy.on('connect', (request: IncomingMessage, client) => {
    const [host, port] = (request.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    client.pipe(upstream).pipe(client)
  })
  const address = await listen(proxy)
  onTestFinished(() => void proxy.close().closeAllConnections())
  const { fetch } = open({ HTTP_PROXY: address, NO_PROXY: '127.0.0.1' })
  expect(await (await fetch('http://vendor.test/v1')).text()).toBe('proxied vendor.test')
  expect(await (await fetch(url)).text()).toMatch(/^reached/)
  expect(await (await open({ https_proxy: 'not an address' }).fetch(url)).text()).toMatch(/^reached/)
})

test('a server that answers nothing sensible is an error with a code', async () => {
  const odd = createTcpServer((socket) => void socket.end('this is not HTTP\r\n\r\n'))
  const address = await listen(odd)
  onTestFinished(() => void odd.close())
  await expect(open().fetch(address)).rejects.toMatchObject({ code: expect.any(String) })
})
