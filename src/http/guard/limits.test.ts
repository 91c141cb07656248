import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { depthOf } from '../../lib/json.ts'
import { createClients } from '../live/clients.ts'
import { createCodes } from './codes.ts'
import { openDevices } from './devices.ts'
import { openSecurityLog } from './security-log.ts'

function world() {
  const home = makeFolder()
  const time = { at: 1_000_000 }
  return { home, time, clock: { now: () => time.at } }
}

test('streams and sockets have a bounded number of places, and one that leaves makes room', () => {
  const clients = createClients(2)
  const leave = clients.enter()
  clients.enter()
  expect(() => clients.enter()).toThrow('2 clients are connected already')
  leave()
  leave()
  expect(clients.count).toBe(1)
  clients.enter()
})

test('of many login codes the newest twenty count', () => {
  const { clock } = world()
  const codes = createCodes(clock)
  const [first, ...rest] = Array.from({ length: 21 }, () => codes.make().code)
  expect(codes.take(first!)).toBeUndefined()
  expect(rest.every((code) => codes.take(code))).toBe(true)
})

test('devices survive a restart, are bounded, and a damaged file is named', () => {
  const { home, clock } = world()
  const devices = openDevices(home, clock)
  for (let at = 0; at < 100; at++) devices.add(`device ${at}`)
  expect(() => devices.add('one more')).toThrow('100 devices')
  expect(openDevices(home, clock).list()).toEqual(devices.list())
  writeFileSync(join(home, 'devices.json'), '{')
  expect(() => openDevices(home, clock)).toThrow(join(home, 'devices.json'))
})

test('the security log is bounded a minute, and says how much was left out', () => {
  const { home, time, clock } = world()
  const log = openSecurityLog(home, clock)
  for (let at = 0; at < 1000; at++) log('auth.wrong', 'GET /', 'why')
  time.at += 60_000
  log('auth.wrong', 'GET /', 'why')
  const lines = readFileSync(join(home, 'logs', 'security.log'), 'utf8')
    .trim()
    .split('\n')
  expect(lines).toHaveLength(302)
  expect(lines[300]).toContain('700 lines of auth.wrong were left out')
})

test('nesting is counted outside of strings only', () => {
  expect(depthOf('{"a":[1,{"b":"[[[[\\"[[["}]}')).toBe(3)
  expect(depthOf('[][][]')).toBe(1)
})
