import { expect, test } from 'vitest'
import { isListed } from './network.ts'

test.each([
  ['example.com', 443, ['example.com'], true],
  ['example.com', 80, ['example.com'], true],
  ['Example.COM.', 443, ['example.com'], true],
  ['example.com', 22, ['example.com'], false],
  ['example.com', 8443, ['example.com'], false],
  ['example.com', 8443, ['example.com:8443'], true],
  ['example.com', 443, ['example.com:8443'], false],
  ['a.example.com', 443, ['example.com'], false],
  ['a.example.com', 443, ['*.example.com'], true],
  ['a.example.com', 8443, ['*.example.com:8443'], true],
  ['example.com', 443, ['*.example.com'], false],
  ['evil.example.com', 443, ['*.example.com', '!evil.example.com'], false],
  ['evil.example.com', 8443, ['*.example.com:8443', '!evil*'], false],
  ['good.example.com', 443, ['*.example.com', '!evil.example.com', '!evilXexampleXcom'], true],
  ['example.com', 443, ['example.com', '!*'], false],
  ['example.com', 443, [], false],
] as const)('%s on port %i with %j: %s', (host, port, hosts, listed) => {
  expect(isListed(host, port, hosts)).toBe(listed)
})
