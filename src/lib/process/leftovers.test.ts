import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { eventually } from '../../../test/kit/processes.ts'
import { hex } from '../ids.ts'
import { MARK, recordChildren, startTimeOf, sweepLeftovers } from './leftovers.ts'
import { runCommand } from './processes.ts'

function recordFile(): string {
  const folder = makeFolder()
  return join(folder, 'children.jsonl')
}

function sleeper(env: Record<string, string> = {}): number {
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore', env: { ...env, PATH: process.env.PATH } })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid!
}

test('a child written down is ended when it is still the same process', async () => {
  const file = recordFile()
  const pid = sleeper()
  writeFileSync(file, `${JSON.stringify({ pid, startTime: startTimeOf(pid), mark: hex() })}\n`)
  expect(await sweepLeftovers(file)).toBe(1)
  await eventually(() => startTimeOf(pid) === undefined)
  expect(readFileSync(file, 'utf8')).toBe('')
})

test('a stranger who got the number of a child is left alone', async () => {
  const file = recordFile()
  const [pid, child] = [sleeper(), sleeper()]
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const records = [
    { pid, startTime: `${boot}:1`, mark: hex() },
    { pid, startTime: startTimeOf(pid)?.replace(boot, 'another-boot'), mark: hex() },
    { pid: child, startTime: startTimeOf(child), mark: hex() },
  ]
  writeFileSync(file, `${records.map((record) => JSON.stringify(record)).join('\n')}\n{"pid": 1`)
  expect(await sweepLeftovers(file)).toBe(1)
  expect(startTimeOf(pid)).toBeDefined()
})

test('an orphan whose guard is gone is found by its mark', async () => {
  const file = recordFile()
  const mark = hex()
  const [orphan, other] = [sleeper({ [MARK]: mark }), sleeper({ [MARK]: hex() })]
  writeFileSync(file, `${JSON.stringify({ pid: 4_000_000, startTime: 'gone', mark })}\n`)
  expect(await sweepLeftovers(file)).toBe(1)
  await eventually(() => startTimeOf(orphan) === undefined)
  expect(startTimeOf(other)).toBeDefined()
})

test('a record that is missing or broken sweeps nothing', async () => {
  const file = recordFile()
  expect(await sweepLeftovers(file)).toBe(0)
  writeFileSync(file, 'not json\n{"pid":1,"startTime":"x","mark":"y"}\n{"pid":-1}\n')
  expect(await sweepLeftovers(file)).toBe(0)
})

test('a child is written down while it runs, and no longer', async () => {
  const file = recordFile()
  recordChildren(file)
  const seen = new AbortController()
  let during = ''
  await runCommand({
    // It runs until it has been seen: of one that has ended by itself there is no start time to write down.
    command: 'echo running; exec sleep 1000',
    cwd: tmpdir(),
    env: process.env,
    timeoutMs: 60_000,
    headTailChars: 100,
    signal: seen.signal,
    onOutput: () => {
      during = readFileSync(file, 'utf8')
      seen.abort()
    },
  })
  expect(JSON.parse(during)).toMatchObject({ pid: expect.any(Number), startTime: expect.stringContaining(':') })
  expect(readFileSync(file, 'utf8')).toBe('')
})
