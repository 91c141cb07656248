import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { guardedStream } from './guarded-stream.ts'

async function openServer() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    if (request.url === '/away') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end('elsewhere')
    else if (request.url === '/none') response.writeHead(204).end()
    else if (request.url === '/slow') response.write('first ')
    else response.end('x'.repeat(5000))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { seen, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const guard = { own: 'http://127.0.0.1:2', headersMs: 10_000, bytes: 1000 }

test('an address that is not public is not connected to, however it is written', async () => {
  const { seen, host } = await openServer()
  const port = host.split(':')[1]
  const fetch = guardedStream(guard)
  for (const name of [host, `localhost:${port}`, `[::ffff:7f00:1]:${port}`, `0:${port}`, `2130706433:${port}`])
    await expect(fetch(`http://${name}/`)).rejects.toThrow('Not permitted')
  await expect(fetch('file:///etc/passwd')).rejects.toThrow('not fetched')
  const own = guardedStream({ ...guard, own: `http://${host}`, allows: () => true })
  await expect(own(`http://${host}/`)).rejects.toThrow('is the server that runs you')
  expect(seen).toEqual([])
})

test('an answer comes as it is sent, ends at its limit or when nobody wants it, and leads nowhere', async () => {
  const { seen, host } = await openServer()
  const fetch = guardedStream({ ...guard, allows: () => true })
  const stop = new AbortController()
  const slow = await fetch(`http://${host}/slow`, { signal: stop.signal })
  const reader = slow.body!.getReader()
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('first ')
  stop.abort()
  await expect(reader.read()).rejects.toThrow()
  await expect((await fetch(`http://${host}/long`)).text()).rejects.toThrow()
  expect((await fetch(`http://${host}/none`, { method: 'POST', body: 'x' })).status).toBe(204)
  const away = await fetch(`http://${host}/away`)
  expect([away.status, away.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/'])
  expect(seen).toEqual(['GET /slow', 'GET /long', 'POST /none', 'GET /away'])
})
