import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { titleOf } from './report.ts'

/** Runs while the reach of tests is collected: it writes into the list of hits which test the next hits belong to. */
const hits = process.env.MUTANTS_HITS ?? ''
const file = relative(process.cwd(), expect.getState().testPath ?? '')

const shared = globalThis as { __mutantsSeen?: Set<string>; __mutantsTest?: true }
shared.__mutantsTest = true

const whose = (title = ''): void => {
  shared.__mutantsSeen?.clear()
  appendFileSync(hits, `=\t${file}\t${title}\n`)
}

whose()
beforeEach(({ task }) => {
  const names = [task.name]
  for (let { suite } = task; suite; suite = suite.suite) names.unshift(suite.name)
  whose(titleOf(names))
})
afterEach(() => whose())
