import { writeFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/** What a run of Vitest came to. */
export interface Verdict {
  readonly passed: number
  /** How many tests failed, by file; 1 where the file itself could not be run. */
  readonly failed: Readonly<Record<string, number>>
  /** Errors that were thrown outside of any test. */
  readonly errors: readonly string[]
}

/** Leaves the verdict of a run in the file that `TROUPE_TEST_REPORT` names. */
export default class implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandled) => {
    const file = process.env.TROUPE_TEST_REPORT
    if (file === undefined) throw new Error('TROUPE_TEST_REPORT names no file to leave the verdict in.')
    const failed = modules.flatMap((module) => {
      const tests = [...module.children.allTests('failed')].length
      return tests > 0 || !module.ok() ? [[module.moduleId, Math.max(1, tests)] as const] : []
    })
    const verdict: Verdict = {
      passed: modules.reduce((sum, module) => sum + [...module.children.allTests('passed')].length, 0),
      failed: Object.fromEntries(failed),
      errors: unhandled.map(({ name, message }) => `${name}: ${message}`),
    }
    writeFileSync(file, JSON.stringify(verdict))
  }
}
