import { expect, test } from 'vitest'
import { isListed, isListedAddress } from './hosts.ts'

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
  ['example.com', 8443, ['example.com:8443', '!example.com:8443'], false],
  ['example.com', 443, ['example.com', '!example.com:8443'], true],
  ['example.com', 443, [], false],
] as const)('%s on port %i with %j: %s', (host, port, hosts, listed) => {
  expect(isListed(host, port, hosts)).toBe(listed)
})

test.each([
  ['10.0.0.5', 80, ['10.0.0.5'], true],
  ['10.0.0.5', 8080, ['10.0.0.5:8080'], true],
  ['10.0.0.5', 80, ['10.0.0.5:8080'], false],
  ['10.0.0.5', 80, ['*.0.0.5'], false],
  ['10.0.0.5', 80, ['10.0.0.5', '!10.*'], false],
] as const)('the address %s on port %i with %j is listed itself: %s', (address, port, hosts, listed) => {
  expect(isListedAddress(address, port, hosts)).toBe(listed)
})
