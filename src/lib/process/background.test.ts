import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { eventually, processesWith } from '../../../test/kit/processes.ts'
import { hex } from '../ids.ts'
import { readBackground, runningBackground, startBackground, stopAll, stopBackground } from './background.ts'

const start = (owner: string, command: string) =>
  startBackground({ owner, command, cwd: tmpdir(), env: process.env }).id

test('a background command is read piece by piece until it ends', async () => {
  const owner = hex()
  const id = start(owner, 'echo one; echo two; exit 3')
  await eventually(() => readBackground(id, { owner, since: 0 })?.running === false)
  expect(readBackground(id, { owner, since: 0, limit: 4 })).toMatchObject({ output: 'one\n', next: 4, more: true })
  expect(readBackground(id, { owner })).toMatchObject({
    output: 'two\n',
    more: false,
    ended: { exitCode: 3, signal: null },
  })
  expect(readBackground(id, { owner })).toMatchObject({ output: '' })
})

test('what it writes is kept within a bound, and what is missing is said', async () => {
  const owner = hex()
  const id = start(owner, "head -c 3000000 /dev/zero | tr '\\0' x; echo end")
  await eventually(() => readBackground(id, { owner, since: 3_000_004 })?.running === false)
  const read = readBackground(id, { owner, since: 0, limit: 10_000_000 })!
  expect(read.output.length).toBeLessThanOrEqual(400_000)
  expect(read.output.endsWith('xend\n')).toBe(true)
  expect(read.missed + read.output.length).toBe(3_000_004)
})

test('stopping it ends its whole tree; only its owner can', async () => {
  const owner = hex()
  const seconds = `1001${Number.parseInt(hex(4), 16)}`
  const id = start(owner, `setsid sleep ${seconds} & sleep ${seconds}`)
  await eventually(() => processesWith(`sleep\0${seconds}`).length === 2)
  expect(await stopBackground(id, { owner: hex() })).toBe(false)
  expect(readBackground(id, { owner: hex() })).toBeUndefined()
  expect(runningBackground(owner)).toEqual([id])
  expect(await stopBackground(id, { owner })).toBe(true)
  expect(processesWith(seconds)).toEqual([])
  expect(readBackground(id, { owner })).toMatchObject({ running: false, ended: { signal: 'SIGTERM' } })
})

test('an owner has 16 at most, and all of them can be stopped at once', async () => {
  const owner = hex()
  const other = hex()
  const seconds = `1002${Number.parseInt(hex(4), 16)}`
  for (let count = 0; count < 16; count += 1) start(owner, `sleep ${seconds}`)
  const kept = start(other, `exec sleep ${seconds}`)
  expect(() => start(owner, 'true')).toThrow('16 background commands run already')
  await stopAll(owner)
  await eventually(() => processesWith(`sleep\0${seconds}`).filter((pid) => pid > 0).length === 1)
  expect(runningBackground(owner)).toEqual([])
  await stopBackground(kept, { owner: other })
})
