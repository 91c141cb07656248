import { expect, test } from 'vitest'
import { isLoopback } from '../../lib/net/loopback.ts'
import { createGate } from './gate.ts'

const codeOf = (bound: Parameters<typeof createGate>[0], host: string[], origin: string[] = [], url = '/') =>
  createGate(bound)({ url, headersDistinct: { host, origin } })?.code

test('a server on its own address answers to it and to the loopback names, never to the wildcard', () => {
  const named = { host: '192.168.1.5', port: 4747 }
  expect(codeOf(named, ['192.168.1.5:4747'])).toBeUndefined()
  expect(codeOf(named, ['127.0.0.1:4747'])).toBeUndefined()
  expect(codeOf({ host: '0.0.0.0', port: 4747 }, ['0.0.0.0:4747'])).toBe('auth.host')
  expect(codeOf({ host: '::', port: 4747 }, ['[::]:4747'])).toBe('auth.host')
  expect(codeOf({ host: 'fe80::1', port: 4747 }, ['[fe80::1]:4747'])).toBeUndefined()
})

test('the port may be left out only where the protocol implies it', () => {
  expect(codeOf({ host: '127.0.0.1', port: 80 }, ['localhost'])).toBeUndefined()
  expect(codeOf({ host: '127.0.0.1', port: 4747 }, ['localhost'])).toBe('auth.host')
})

test('two hosts, two origins of which one is foreign, and a full address in the request line are refused', () => {
  const bound = { host: '127.0.0.1', port: 4747 }
  expect(codeOf(bound, ['localhost:4747', 'evil.example'])).toBe('auth.host')
  expect(codeOf(bound, [])).toBe('auth.host')
  expect(codeOf(bound, ['localhost:4747'], ['http://localhost:4747', 'http://evil.example'])).toBe('auth.origin')
  expect(codeOf(bound, ['localhost:4747'], [], 'http://evil.example/')).toBe('auth.host')
})

test('only loopback addresses count as loopback', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].every(isLoopback)).toBe(true)
  expect(['0.0.0.0', '::', '192.168.1.5', '127.0.0.1.evil.example', '', '1270.0.0.1'].some(isLoopback)).toBe(false)
})
