import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, putFile } from '../../../test/kit/files.ts'
import { eventually, processesWith } from '../../../test/kit/processes.ts'
import { hex } from '../ids.ts'
import { type CommandRequest, runCommand } from './processes.ts'

const run = (command: string, more: Partial<CommandRequest> = {}) =>
  runCommand({ command, cwd: tmpdir(), env: process.env, timeoutMs: 30_000, headTailChars: 1000, ...more })

/** A sleep nobody else has, so that its survivors can be found. */
const longSleep = () => `1000${Number.parseInt(hex(4), 16)}`

describe('a command', () => {
  test('gives what it wrote, in order, and how it ended', async () => {
    const result = await run('echo one; echo two >&2; echo three > /dev/stdout; exit 3')
    expect(result).toMatchObject({ exitCode: 3, signal: null, timedOut: false, aborted: false })
    expect(result.output).toBe('one\ntwo\nthree\n')
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  test('shows its output while it runs', async () => {
    const folder = makeFolder()
    // The command goes on only after its first line was seen.
    const onOutput = (text: string) => {
      if (text.includes('first')) spawn('touch', [join(folder, 'seen')])
    }
    const result = await run('echo first; until [ -e seen ]; do sleep 0.05; done; echo second', {
      cwd: folder,
      onOutput,
    })
    expect(result).toMatchObject({ exitCode: 0, output: 'first\nsecond\n' })
  })

  test('has no input and no terminal', async () => {
    expect(await run('cat; echo end')).toMatchObject({ exitCode: 0, output: 'end\n' })
    expect((await run('echo > /dev/tty')).exitCode).not.toBe(0)
  })

  test('goes on when it closes its output', async () => {
    expect(await run('exec >&- 2>&-; sleep 0.1; exit 4')).toMatchObject({ exitCode: 4, output: '' })
  })

  test('gets the variables any program needs and what was declared, and none of our others', async () => {
    const env = { PATH: process.env.PATH, HOME: '/h', LC_ALL: 'xx_NONE', SECRET_KEY: 'canary', TROUPE_TOKEN: 'canary' }
    const { output } = await run('env; cat /proc/$PPID/environ', { env, declared: { GIVEN: 'yes' } })
    expect(output).toContain('HOME=/h')
    expect(output).toContain('LC_ALL=xx_NONE')
    expect(output).toContain('GIVEN=yes')
    expect(output).not.toContain('canary')
    expect(output).not.toContain('perl: warning')
  })

  test('that reads something reads nothing of what its user has for shells, nor does bash below it', async () => {
    const home = makeFolder()
    putFile(join(home, '.bashrc'), 'echo noise\nexport SECRET_KEY=canary\n')
    const env = { PATH: process.env.PATH, HOME: home }
    const below = "node -e \"child_process.spawn('bash', ['-c', 'env']).stdout.pipe(process.stdout)\""
    const { output } = await run(`cat; env; ${below}`, { env, input: 'told\n', headTailChars: 10_000 })
    expect(output).toMatch(/^told\n/)
    expect(output).not.toMatch(/noise|canary/)
  })

  test('has no part in the keys that the session of its user keeps in the kernel', async () => {
    const number = { x64: 250, arm64: 219, riscv64: 219 }[process.arch as string] ?? 0
    const ring = `perl -e 'print syscall(${number}, 0, -3, 0)'`
    const outside = execFileSync('bash', ['-c', ring], { encoding: 'utf8' })
    const { output } = await run(ring)
    // Where the kernel keeps no keys, both are -1.
    expect(output).toMatch(/^-?\d+$/)
    if (outside !== '-1') expect(output).not.toBe(outside)
  })

  test('that cannot start says why', async () => {
    await expect(run('true', { cwd: '/nowhere/at/all' })).rejects.toThrow('/nowhere/at/all does not exist')
    await expect(run(`true ${'x'.repeat(3_000_000)}`)).rejects.toThrow('too long')
  })
})

describe('a process tree ends', () => {
  test.each([
    ['left in the background', (seconds: string) => `sleep ${seconds} & echo done`],
    ['in a session of its own', (seconds: string) => `setsid sleep ${seconds} & echo done`],
    ['forked twice', (seconds: string) => `(setsid bash -c 'sleep ${seconds} & disown' &); echo done`],
    [
      'that ignores TERM',
      (seconds: string) => `setsid bash -c 'trap "" TERM; sleep ${seconds}' & echo done; sleep 0.2`,
    ],
    ['that cleared its environment', (seconds: string) => `env -i setsid sleep ${seconds} & echo done`],
  ])('when the command does: a child %s', async (_, command) => {
    const seconds = longSleep()
    const result = await run(command(seconds))
    expect(result).toMatchObject({ exitCode: 0, output: 'done\n', timedOut: false })
    expect(processesWith(seconds)).toEqual([])
  })

  test.each([
    ['that never ends', (seconds: string) => `echo begun; sleep ${seconds}`],
    ['that ignores TERM', (seconds: string) => `trap '' TERM; echo begun; while :; do sleep ${seconds}; done`],
    [
      'with a child that ignores TERM',
      (seconds: string) => `echo begun; setsid bash -c 'trap "" TERM; sleep ${seconds}' & wait`,
    ],
  ])('when its time is over: a command %s', async (_, command) => {
    const seconds = longSleep()
    const result = await run(command(seconds), { timeoutMs: 500 })
    expect(result).toMatchObject({ timedOut: true, exitCode: null, output: 'begun\n' })
    expect(processesWith(seconds)).toEqual([])
  })

  test('when the call is aborted', async () => {
    const seconds = longSleep()
    const abort = new AbortController()
    const onOutput = () => abort.abort('stop it')
    const result = await run(`echo begun; sleep ${seconds}`, { signal: abort.signal, onOutput })
    expect(result).toMatchObject({ aborted: true, timedOut: false })
    expect(processesWith(seconds)).toEqual([])
    expect(await run('echo never', { signal: abort.signal })).toMatchObject({ aborted: true, output: '' })
  })

  test('when the command kills its guard', async () => {
    const seconds = longSleep()
    const result = await run(`setsid sleep ${seconds} & kill -9 $PPID; sleep ${seconds}`)
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    expect(processesWith(seconds)).toEqual([])
  })

  test('when the server is killed', async () => {
    const seconds = longSleep()
    const script = `
      import { runCommand } from ${JSON.stringify(new URL('./processes.ts', import.meta.url).href)}
      const command = "trap '' TERM; setsid sleep ${seconds} & (setsid bash -c 'trap \\"\\" TERM; sleep ${seconds}' &); sleep ${seconds}"
      await runCommand({ command, cwd: '/', env: process.env, timeoutMs: 600000, headTailChars: 100 })`
    const server = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    await eventually(() => processesWith(`sleep\0${seconds}`).length >= 3)
    server.kill('SIGKILL')
    await eventually(() => processesWith(seconds).filter((pid) => pid !== server.pid).length === 0)
  })
})

describe('output', () => {
  test('of a gigabyte is cut to its beginning and end, in bounded memory', async () => {
    const before = peakMemory()
    const result = await run("echo begin; head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo end", {
      timeoutMs: 120_000,
    })
    expect(result.exitCode).toBe(0)
    expect(result.output.length).toBeLessThan(1100)
    expect(result.output).toMatch(/^begin\nx+\n\[… \d+ characters cut …\]\nx+\nend\n$/)
    expect(result.output).toContain(`${1_000_000_011 - 1000} characters cut`)
    expect(peakMemory() - before).toBeLessThan(200 * 1024 * 1024)
  })

  test('that never stops is cut as well, and the command is ended', async () => {
    const result = await run('yes', { timeoutMs: 500 })
    expect(result.timedOut).toBe(true)
    expect(result.output.length).toBeLessThan(1100)
  })
})

/** The most this process ever held, in bytes. */
function peakMemory(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
}
