import { expect, test } from 'vitest'
import { createGate, requestPath } from './gate.ts'

type Asked = { host?: string[]; origin?: string[]; url?: string | undefined }
const gateOf = (bound: Parameters<typeof createGate>[0]) => (asked: Asked) =>
  createGate(bound)({
    url: 'url' in asked ? asked.url : '/',
    headersDistinct: { ...(asked.host && { host: asked.host }), ...(asked.origin && { origin: asked.origin }) },
  })?.code

test('a public address is answered and its pages may call, beside the loopback names', () => {
  const ask = gateOf({ host: '127.0.0.1', port: 4747, publicUrl: 'https://Team.example/' })
  expect(ask({ host: ['team.example'] })).toBeUndefined()
  expect(ask({ host: ['TEAM.example'], origin: ['https://team.example'] })).toBeUndefined()
  expect(ask({ host: ['localhost:4747'], origin: ['http://LOCALHOST:4747'] })).toBeUndefined()
  expect(ask({ host: ['localhost:4747'], origin: ['http://team.example'] })).toBe('auth.origin')
  expect(ask({ host: ['team.example:4747'] })).toBe('auth.host')
})

test('on the protocol’s own port the names stand alone and with the port', () => {
  const ask = gateOf({ host: '10.0.0.1', port: 80 })
  for (const host of ['localhost', 'localhost:80', '10.0.0.1', '[::1]'])
    expect([host, ask({ host: [host] })]).toEqual([host, undefined])
  expect(ask({ host: ['localhost:80'], origin: ['http://localhost'] })).toBeUndefined()
  expect(ask({ host: ['localhost:443'] })).toBe('auth.host')
})

test('a server that listens everywhere answers to the loopback names and to no empty one', () => {
  for (const host of ['0.0.0.0', '::', '[::]', '']) {
    const ask = gateOf({ host, port: 4747 })
    expect([host, ask({ host: ['localhost:4747'] }), ask({ host: [':4747'] })]).toEqual([host, undefined, 'auth.host'])
  }
})

test('a request without host or without a path is not for this server', () => {
  const ask = gateOf({ host: '127.0.0.1', port: 4747 })
  expect(ask({})).toBe('auth.host')
  expect(ask({ host: ['localhost:4747'], url: undefined })).toBe('auth.host')
  expect(ask({ host: ['localhost:4747'], url: '*' })).toBe('auth.host')
  expect(ask({ host: ['localhost:4747'] })).toBeUndefined()
})

test('a refusal shows the host that was asked for, a hundred characters of it', () => {
  const gate = createGate({ host: '127.0.0.1', port: 4747 })
  const said = (host: string[]) => gate({ url: '/', headersDistinct: { host } })?.message
  expect(said(['evil.example', 'localhost:4747'])).toContain('the host "evil.example"')
  expect(said([`h${'x'.repeat(300)}`])).toContain(`the host "h${'x'.repeat(99)}".`)
})

test('an address with colons is bracketed once', () => {
  expect(gateOf({ host: '[fe80::1]', port: 1 })({ host: ['[fe80::1]:1'] })).toBeUndefined()
  expect(gateOf({ host: 'FE80::1', port: 1 })({ host: ['[fe80::1]:1'] })).toBeUndefined()
})

test('the path ends where the question begins', () => {
  expect(requestPath({ url: '/a/b?c=/d?e' })).toBe('/a/b')
  expect(requestPath({})).toBe('')
})
