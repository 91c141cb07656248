import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { guardedFetch, type OutgoingRequest } from './guarded-fetch.ts'
import { FetchRefused } from './guarded-target.ts'

let server: Server
let port: number
let answer: (request: IncomingMessage, response: ServerResponse) => void
let hits: IncomingMessage[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    hits.push(request)
    answer(request, response)
  })
  port = await listen(server)
})
afterAll(() => void server.close().closeAllConnections())
beforeEach(() => {
  hits = []
  answer = (_, response) => void response.end('hello')
})

async function listen(to: { listen(port: number, host: string, done: () => void): unknown; address(): unknown }) {
  await new Promise<void>((resolve) => void to.listen(0, '127.0.0.1', resolve))
  return (to.address() as AddressInfo).port
}

const OWN = 'http://127.0.0.1:1'
const here = { own: OWN, allows: (address: string) => address === '127.0.0.1' }
const fetchHere = (path = '/', asked: Partial<OutgoingRequest> = {}) =>
  guardedFetch(`http://127.0.0.1:${port}${path}`, { ...here, ...asked })

test('an answer comes whole, with its status, its headers and the address it came from', async () => {
  answer = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.writeHead(404, { 'x-seen': ['a', 'b'] })
    response.end(`${request.method} ${request.headers['x-from']} ${Buffer.concat(chunks)}`)
  }
  const found = await fetchHere('/page?q=1#part', { method: 'POST', headers: { 'X-From': 'me' }, body: 'ü' })
  expect([found.status, found.headers['x-seen'], String(found.body)]).toEqual([404, 'a, b', 'POST me ü'])
  expect(found.url.href).toBe(`http://127.0.0.1:${port}/page?q=1`)
})

test.each([
  'localhost',
  'localhost.',
  '0.0.0.0',
  '[::1]',
  '127.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '017700000001',
  '[::ffff:127.0.0.1]',
  '１２７.0.0.1',
  '%31%32%37.0.0.1',
])('without leave this machine is not reached as %s', async (host) => {
  await expect(guardedFetch(`http://${host}:${port}/`, { own: OWN })).rejects.toThrow(/of this machine/)
  expect(hits).toEqual([])
})

test('a refusal names the address that would have to be allowed', async () => {
  const refusal = await guardedFetch('http://shop.test/', { own: OWN, resolve: async () => ['10.1.2.3'] }).catch(String)
  expect(refusal).toMatch('shop.test is at 10.1.2.3, which is a private address.')
})

test.each([
  ['file:///etc/passwd', /file: are not fetched/],
  ['gopher://127.0.0.1/', /gopher: are not fetched/],
  ['data:text/html,hello', /data: are not fetched/],
  ['ftp://127.0.0.1/', /ftp: are not fetched/],
  ['http://user@127.0.0.1/', /user name or password/],
  ['http://:secret@example.com/', /user name or password/],
  ['example.com', /no web address/],
  ['http://1.2.3.4.5/', /no web address/],
  [`http://example.com/${'a'.repeat(8000)}`, /more than 8000/],
])('%s is no address to fetch', async (url, why) => {
  await expect(guardedFetch(url, here)).rejects.toThrow(why)
})

test('one address that is not public refuses all of a name, and an allowed one does not help another', async () => {
  const asked = { ...here, resolve: async () => ['127.0.0.1', '169.254.169.254'] }
  await expect(guardedFetch(`http://shop.test:${port}/`, asked)).rejects.toThrow(/169\.254\.169\.254.*link-local/)
  expect(hits).toEqual([])
})

test('a name is resolved once, and the connection goes to the address that was checked', async () => {
  const resolved: string[] = []
  const resolve = async (host: string) => {
    resolved.push(host)
    return resolved.length === 1 ? ['127.0.0.1'] : ['10.0.0.1']
  }
  const found = await guardedFetch(`http://shop.test:${port}/`, { ...here, resolve })
  expect(String(found.body)).toBe('hello')
  expect(resolved).toEqual(['shop.test'])
  expect(hits[0]?.headers.host).toBe(`shop.test:${port}`)
})

test('over TLS the server is asked for the name, not for the address', async () => {
  const asked: string[] = []
  const secure = createTlsServer({
    SNICallback(name, done) {
      asked.push(name)
      done(null)
    },
  })
  const at = await listen(secure)
  onTestFinished(() => void secure.close())
  const resolve = async () => ['127.0.0.1']
  await expect(guardedFetch(`https://shop.test:${at}/`, { ...here, resolve })).rejects.toThrow(FetchRefused)
  expect(asked).toEqual(['shop.test'])
})

test('the own server is refused under every spelling, whatever is allowed', async () => {
  const own = `http://127.0.0.1:${port}`
  const everything = { own, allows: () => true }
  for (const host of ['127.0.0.1', 'localhost', '127.9.9.9', '[::1]', '0.0.0.0', '[::ffff:127.0.0.1]'])
    await expect(guardedFetch(`http://${host}:${port}/`, everything)).rejects.toThrow(/the server that runs you/)
  expect(hits).toEqual([])
})

test('redirects are followed and each is checked anew', async () => {
  answer = ({ url }, response) => {
    if (url === '/start') response.writeHead(302, { location: '/end' }).end()
    else if (url === '/inside') response.writeHead(301, { location: 'http://169.254.169.254/latest' }).end()
    else if (url === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    else if (url === '/again') response.writeHead(307, { location: '/again' }).end()
    else response.end('the end')
  }
  expect(await fetchHere('/start')).toMatchObject({ status: 200, url: expect.objectContaining({ pathname: '/end' }) })
  await expect(fetchHere('/inside')).rejects.toThrow(/link-local/)
  await expect(fetchHere('/file')).rejects.toThrow(/file: are not fetched/)
  hits = []
  await expect(fetchHere('/again')).rejects.toThrow(/more than 5 times/)
  expect(hits.length).toBe(6)
})

test('another server gets neither the headers nor the body that were meant for the first', async () => {
  const resolve = async () => ['127.0.0.1']
  const headers = {
    authorization: 'Bearer k',
    'x-key': 'k',
    cookie: 'k',
    accept: 'text/html',
    'content-type': 'text/plain',
  }
  const status: Record<string, number> = { '/after': 303, '/keep': 307 }
  answer = ({ url = '', headers: { host } }, response) => {
    if (!host?.startsWith('first.test')) return void response.end('elsewhere')
    response.writeHead(status[url] ?? 302, { location: `http://second.test:${port}/` }).end()
  }
  const send = (path: string) =>
    guardedFetch(`http://first.test:${port}${path}`, { ...here, resolve, method: 'POST', headers, body: 'secret' })
  await send('/after')
  const {
    authorization,
    'x-key': key,
    cookie,
    accept,
    'content-type': type,
    'content-length': length,
  } = hits[1]!.headers
  expect([hits[1]?.method, accept]).toEqual(['GET', 'text/html'])
  expect([authorization, key, cookie, type, length]).toEqual([undefined, undefined, undefined, undefined, undefined])
  hits = []
  await expect(send('/keep')).rejects.toThrow(/meant for the first/)
  expect(hits.length).toBe(1)
})

test('a redirect at the same server keeps headers, and with 307 the body as well', async () => {
  answer = ({ url }, response) => {
    if (url === '/done') response.end()
    else response.writeHead(url === '/307' ? 307 : 302, { location: '/done' }).end()
  }
  const headers = { authorization: 'Bearer k' }
  await fetchHere('/307', { method: 'POST', headers, body: 'four' })
  await fetchHere('/302', { method: 'POST', headers, body: 'four' })
  expect(hits.map(({ method, headers }) => [method, headers.authorization, headers['content-length']])).toEqual([
    ['POST', 'Bearer k', '4'],
    ['POST', 'Bearer k', '4'],
    ['POST', 'Bearer k', '4'],
    ['GET', 'Bearer k', undefined],
  ])
})

test('a redirect that the caller does not follow is the answer', async () => {
  answer = (_, response) => void response.writeHead(302, { location: 'http://other.test/x' }).end()
  const found = await fetchHere('/', { follows: ({ host }) => host !== 'other.test' })
  expect([found.status, found.redirect?.href]).toEqual([302, 'http://other.test/x'])
})

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['identity', (text: string) => Buffer.from(text)],
] as const)('what is packed with %s is unpacked', async (encoding, pack) => {
  answer = (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(pack('hello'))
  expect(String((await fetchHere()).body)).toBe('hello')
})

test('a small answer that unpacks to a large one is cut off, and so is one packed twice', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
  answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  await expect(fetchHere()).rejects.toThrow(/unpacks to more than 5120 KB/)
  answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(bomb))
  await expect(fetchHere()).rejects.toThrow(/packed as "gzip, gzip"/)
  answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
  await expect(fetchHere()).rejects.toThrow(/could not be fetched/)
})

test('an endless answer is cut off at the limit, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>()
  answer = (_, response) => {
    const more = (): void =>
      void (response.write(Buffer.alloc(64 * 1024)) ? setImmediate(more) : response.once('drain', more))
    response.once('close', closed.resolve)
    more()
  }
  await expect(fetchHere('/', { limits: { bytes: 100_000 } })).rejects.toThrow(/sends more than 98 KB/)
  await closed.promise
})

test('a server that says nothing, and one that sends a byte now and then, are cut off', async () => {
  answer = () => {}
  await expect(fetchHere('/', { limits: { headersMs: 50 } })).rejects.toThrow(/took longer than 0.05 s/)
  answer = (_, response) => {
    const drip = setInterval(() => response.write('.'), 10)
    response.once('close', () => clearInterval(drip))
  }
  await expect(fetchHere('/', { limits: { totalMs: 100 } })).rejects.toThrow(/took longer than 0.1 s/)
  const resolve = () => new Promise<never>(() => {})
  const asked = { ...here, resolve, limits: { totalMs: 50 } }
  await expect(guardedFetch('http://shop.test/', asked)).rejects.toThrow(/took longer than 0.05 s/)
})

test('an abort ends the request with its own reason', async () => {
  const stop = new AbortController()
  answer = () => stop.abort(new Error('the turn was canceled'))
  await expect(fetchHere('/', { signal: stop.signal })).rejects.toThrow('the turn was canceled')
})

test('failures are sentences', async () => {
  const gone = createServer()
  const at = await listen(gone)
  await new Promise((resolve) => gone.close(resolve))
  await expect(guardedFetch(`http://127.0.0.1:${at}/`, here)).rejects.toThrow(
    /could not be fetched: nothing listens there/,
  )
  const resolve = async () => Promise.reject(new Error('ENOTFOUND'))
  await expect(guardedFetch('http://no.test/', { ...here, resolve })).rejects.toThrow('The host no.test is not known.')
  const none = { ...here, resolve: async () => [] }
  await expect(guardedFetch('http://no.test/', none)).rejects.toThrow('The host no.test has no address.')
  answer = ({ socket }) => void socket.destroy()
  await expect(fetchHere()).rejects.toThrow(/the connection broke off/)
})

test('an answer that is not HTTP, has endless headers, or changes the protocol is refused', async () => {
  let said = 'this is not HTTP\r\n\r\n'
  const odd = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => void socket.end(said))
  })
  const at = await listen(odd)
  onTestFinished(() => void odd.close())
  const fetchOdd = () => guardedFetch(`http://127.0.0.1:${at}/`, here)
  await expect(fetchOdd()).rejects.toThrow(FetchRefused)
  said = `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`
  await expect(fetchOdd()).rejects.toThrow(FetchRefused)
  said = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
  await expect(fetchOdd()).rejects.toThrow(/another protocol/)
})
