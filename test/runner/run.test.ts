import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { makeFolder } from '../kit/files.ts'

const folder = makeFolder(afterAll)

describe.concurrent('the test command', () => {
  test('ends with 0 when all tests pass, and counts them', async () => {
    const { code, last } = await run(['passes'])
    expect(last).toBe('1 passed, 0 failed')
    expect(code).toBe(0)
  })

  test('runs what failed once more, alone; what passes then is called flaky at the very end', async () => {
    const { code, output, last } = await run(['passes', 'fails-once'])
    expect(output).toContain('FLAKY  test/runner/fails-once.fixture.ts: failed, then passed alone. Repair it.')
    expect(last).toBe('2 passed, 0 failed')
    expect(code).toBe(0)
  })

  test('ends with 1 when a test fails twice, and names its file, though a flaky one is beside it', async () => {
    const { code, output, last } = await run(['passes', 'fails-once', 'fails.'])
    expect(output).toContain('FLAKY  test/runner/fails-once.fixture.ts')
    expect(output).toContain('RED    test/runner/fails.fixture.ts')
    expect(last).toBe('2 passed, 1 failed')
    expect(code).toBe(1)
  })

  test('ends with 1 when something is thrown outside of the tests', async () => {
    const { code, output } = await run(['throws-outside'])
    expect(output).toContain('RED    Error: Nobody waited for me.')
    expect(code).toBe(1)
  })

  test('ends with 1 when the database cannot be stopped and a test failed', async () => {
    const { code, output } = await run(['stops-postgres'], { TROUPE_TEST_POSTGRES: undefined })
    expect(output).toContain('PostgreSQL did not stop')
    expect(output).toContain('RED    test/runner/stops-postgres.fixture.ts')
    expect(code).toBe(1)
  })

  test('Vitest alone ends with 1 too, whatever the cluster does when it ends', async () => {
    const own = { TROUPE_TEST_POSTGRES: undefined }
    expect(await run(['fails.'], own, ['node_modules/vitest/vitest.mjs', 'run'])).toMatchObject({ code: 1 })
  })

  test('ends with 1 when there is nothing to run', async () => {
    const { code, last } = await run(['no-such-test'])
    expect(last).toBe('0 passed, 0 failed')
    expect(code).toBe(1)
  })
})

/** Runs the real command on the fixtures with these names, with this run's cluster unless the test is about its own. */
async function run(fixtures: readonly string[], more: NodeJS.ProcessEnv = {}, command = ['test/runner/run.ts']) {
  const child = spawn(
    process.execPath,
    [...command, '--config', 'test/runner/vitest.config.ts', ...fixtures.map((name) => `runner/${name}`)],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: {
        ...process.env,
        NO_COLOR: '1',
        TROUPE_TEST_POSTGRES: inject('postgresUrl'),
        TROUPE_TEST_MARK: join(folder, fixtures.join('+')),
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number, output: output + errors, last: output.trimEnd().split('\n').at(-1) }
}
