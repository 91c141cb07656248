/**
 * Runs the tests; the arguments go to Vitest. Files that failed run once more, each alone. What fails again is red; what
 * passes then is named as FLAKY at the very end.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Verdict } from './report.ts'

/** When more files than this fail, it is no chance, and none is run again. */
const MOST_AGAIN = 6

const args = process.argv.slice(2)
const first = runVitest(args)
const suspects = Object.keys(first.failed)
const again = suspects.length > MOST_AGAIN ? [] : suspects.map(runAlone)

const red = again.length === 0 ? [first] : again.filter(isRed)
const flaky = again.filter((verdict) => !isRed(verdict))
const failed = red.reduce((sum, verdict) => sum + failures(verdict), 0)
const passed = first.passed + failures(first) - failed
const errors = [first, ...again].flatMap((verdict) => verdict.errors)

console.log()
if (suspects.length > MOST_AGAIN)
  console.log(`${suspects.length} files failed: too many for chance, none was run again.`)
for (const verdict of red)
  for (const file of Object.keys(verdict.failed)) console.log(`RED    ${relative(process.cwd(), file)}`)
for (const error of errors) console.log(`RED    ${error}`)
if (passed === 0) console.log('RED    No test passed.')
for (const { file } of flaky) console.log(`FLAKY  ${file}: failed, then passed alone. Repair it.`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || errors.length > 0 || passed === 0 ? 1 : 0

function runAlone(path: string): Verdict & { readonly file: string } {
  const file = relative(process.cwd(), path)
  console.log(`\nOnce more, alone: ${file}`)
  const config = args.indexOf('--config')
  return { ...runVitest([...(config === -1 ? [] : args.slice(config, config + 2)), path]), file }
}

function runVitest(more: readonly string[]): Verdict {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-report-'))
  const report = join(folder, 'verdict.json')
  const { status, signal } = spawnSync(
    process.execPath,
    [
      beside('../../node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      `--reporter=${beside('report.ts')}`,
      ...more,
    ],
    { stdio: 'inherit', env: { ...process.env, TROUPE_TEST_REPORT: report } },
  )
  const verdict = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Verdict) : undefined
  rmSync(folder, { recursive: true })
  if (verdict === undefined) return nothing(`Vitest ended without a verdict (${signal ?? `exit code ${status}`}).`)
  // No failed test explains the exit code: a hook failed, or the runner itself.
  if (status !== 0 && !isRed(verdict))
    return { ...verdict, errors: [`Vitest ended with ${signal ?? `exit code ${status}`}.`] }
  return verdict
}

const nothing = (error: string): Verdict => ({ passed: 0, failed: {}, errors: [error] })

function isRed(verdict: Verdict): boolean {
  return failures(verdict) > 0 || verdict.errors.length > 0 || verdict.passed === 0
}

function failures({ failed }: Verdict): number {
  return Object.values(failed).reduce((sum, count) => sum + count, 0)
}

function beside(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
