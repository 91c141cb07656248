import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Around, type ProxyInUse, useProxy } from './network.ts'

/** What names mean in these tests; whatever else is asked for is not known. */
const names: Record<string, readonly string[]> = {
  'inside.example': ['127.0.0.1'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'cloud.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  localhost: ['127.0.0.1'],
}
const resolve = async (host: string): Promise<readonly string[]> => names[host] ?? Promise.reject(new Error('unknown'))

async function openCanary(): Promise<{ port: number; hits(): number }> {
  let hits = 0
  const server = createServer((_, response) => void response.end('the canary sings'))
  server.on('connection', () => {
    hits += 1
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close().closeAllConnections())
  return { port: (server.address() as AddressInfo).port, hits: () => hits }
}

/** A proxy that is in use until the test is over. */
async function use(hosts: readonly string[], around: Partial<Around> = {}): Promise<ProxyInUse> {
  const proxy = await useProxy(hosts, { own: 'http://127.0.0.1:9', resolve, ...around })
  onTestFinished(proxy.release)
  return proxy
}

/** Both ways of asking a proxy: for a page, and for a connection. */
async function asked(path: string, host: string): Promise<[page: number, connection: number]> {
  const status = (options: object, event: 'response' | 'connect'): Promise<number> =>
    new Promise((done, fail) => {
      const sent = request({ socketPath: path, agent: false, ...options })
      sent.once(event, (response, socket) => {
        response.resume()
        socket?.destroy()
        done(response.statusCode ?? 0)
      })
      sent.once('error', fail).end()
    })
  return [
    await status({ path: `http://${host}/`, headers: { host } }, 'response'),
    await status({ method: 'CONNECT', path: host }, 'connect'),
  ]
}

test('a listed name that leads to this machine or a private place is refused, also among public addresses, and nothing is connected to', async () => {
  const { port, hits } = await openCanary()
  const listed = ['inside.example', 'mixed.example', 'cloud.example', 'mapped.example', 'gone.example']
  const { path } = await use(listed.map((name) => `${name}:${port}`))
  for (const name of listed.slice(0, 4))
    expect([name, ...(await asked(path, `${name}:${port}`))]).toEqual([name, 403, 403])
  expect(await asked(path, `gone.example:${port}`)).toEqual([502, 502])
  expect(hits()).toBe(0)
})

test('where the address itself is listed, or the name is always this machine, it is reached', async () => {
  const { port, hits } = await openCanary()
  const { path } = await use([`inside.example:${port}`, `127.0.0.1:${port}`, `localhost:${port}`])
  for (const host of ['inside.example', '127.0.0.1', 'localhost'])
    expect([host, ...(await asked(path, `${host}:${port}`))]).toEqual([host, 200, 200])
  expect(hits()).toBeGreaterThan(0)
})

test('an address is reached as it is listed and in no other spelling, and the server itself in none', async () => {
  const { port, hits } = await openCanary()
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `127.1:${port}`, `2130706433:${port}`, `*.0.0.1:${port}`]
  const server = await use(hosts, { own: `http://127.0.0.1:${port}` })
  for (const host of ['127.0.0.1', 'localhost', '127.1', '2130706433', '[::ffff:127.0.0.1]'])
    expect([host, ...(await asked(server.path, `${host}:${port}`))]).toEqual([host, 403, 403])
  const other = await use(hosts.slice(2))
  for (const host of ['127.0.0.1', '127.1', '2130706433'])
    expect([host, ...(await asked(other.path, `${host}:${port}`))]).toEqual([host, 403, 403])
  expect(hits()).toBe(0)
})

test('lists of hosts come and go with the rules; only how many are in use at once is bounded', async () => {
  const used: ProxyInUse[] = []
  for (let at = 0; at < 20; at += 1) used.push(await use([`${at}.example`]))
  await expect(use(['more.example'])).rejects.toThrow(/wait until one of them has ended/)
  used[3]!.release()
  used[3]!.release()
  const more = await use(['more.example'])
  expect(await asked(more.path, 'elsewhere.example:80')).toEqual([403, 403])
  await expect(use(['another.example'])).rejects.toThrow(/wait until/)
})
