import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** What the test runner says about one test file. */
export interface FileReport {
  readonly file: string
  readonly failed: boolean
  readonly seconds: number
  readonly tests: readonly TestReport[]
}

interface TestReport {
  readonly title: string
  readonly failed: boolean
  /** It did not end; nothing that it expected was found wrong. */
  readonly late: boolean
  readonly seconds: number
}

interface Written {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
      readonly status: string
      readonly duration?: number | null
      readonly failureMessages?: readonly string[] | null
    }[]
  }[]
}

/** The name by which the runner selects a test. */
export const titleOf = (names: readonly string[]): string => names.filter(Boolean).join(' > ').replace(/\s/g, ' ')

/** Reads what the runner wrote about each test; its exit code does not count. */
export function readReport(path: string, root: string): FileReport[] | undefined {
  if (!existsSync(path)) return undefined
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Written
  return testResults.map(({ name, status, startTime, endTime, assertionResults }) => ({
    file: relative(root, name),
    failed: status === 'failed',
    seconds: (endTime - startTime) / 1000,
    tests: assertionResults
      .filter((test) => test.status === 'passed' || test.status === 'failed')
      .map((test) => ({
        title: titleOf([...test.ancestorTitles, test.title]),
        failed: test.status === 'failed',
        late: test.failureMessages?.some((message) => /^(Error: )?Test timed out in/.test(message)) === true,
        seconds: (test.duration ?? 0) / 1000,
      })),
  }))
}
