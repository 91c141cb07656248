import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { digest, WHOLE } from './blocks.ts'
import type { Mutant } from './places.ts'
import type { Reach } from './reach.ts'

/** The tests of one file that run the changed code. */
export interface Reaching {
  readonly file: string
  readonly titles: readonly string[]
  readonly seconds: number
  /** How many blocks of the changed file the tests run: tests that run more of it are likelier to catch. */
  readonly depth: number
}

/** What a test file costs before its first test: it starts a process and loads the program. */
const START_SECONDS = 2

/** Which test files caught mutants of which source, so far. */
export type Catches = Map<string, number>
export const catchKey = (source: string, test: string): string => `${source} ${test}`

/** The likeliest first: files that caught other mutants of this source, then those named like it, then by depth. */
export function reaching(mutant: Mutant, all: readonly Reach[], catches: Catches): Reaching[] {
  const block = `${mutant.file}#${mutant.block}`
  const known = all.some(({ blocks }) => blocks.includes(block))
  const now = digest(readFileSync(mutant.file, 'utf8'))
  return all
    .flatMap((reach) => {
      // The block is new since the reach was collected: tests that ran any part of the file may run it.
      const guess = !known && reach.sources[mutant.file] !== now
      const isHit = (name: string) =>
        guess ? name.startsWith(`${mutant.file}#`) && !name.endsWith(`#${WHOLE}`) : name === block
      return testsThat(isHit, reach, mutant.file)
    })
    .map((found) => ({ found, rank: rankOf(mutant.file, found, catches) }))
    .sort((a, b) => b.rank - a.rank || b.found.depth - a.found.depth || a.found.seconds - b.found.seconds)
    .map(({ found }) => found)
}

/** As many from the front as fit the time; one that does not fit is skipped. The shortest when none fits. */
export function affordable(found: readonly Reaching[], seconds: number): Reaching[] {
  let spent = 0
  const fitting = found.filter((one) => {
    const fits = spent + one.seconds <= seconds
    if (fits) spent += one.seconds
    return fits
  })
  return fitting.length > 0 ? fitting : [found.reduce((a, b) => (b.seconds < a.seconds ? b : a))]
}

function testsThat(isHit: (block: string) => boolean, reach: Reach, source: string): Reaching[] {
  const wanted = new Set(reach.blocks.flatMap((name, number) => (isHit(name) ? [number] : [])))
  const runs = (hits: readonly number[]) => hits.some((number) => wanted.has(number))
  const everywhere = runs(reach.always)
  const tests = reach.tests.filter(({ hits }) => everywhere || runs(hits))
  if (tests.length === 0) return []
  const seconds = tests.reduce((sum, test) => sum + test.seconds, reach.seconds + START_SECONDS)
  const depth = reach.blocks.filter((name) => name.startsWith(`${source}#`)).length
  return [{ file: reach.file, titles: tests.map(({ title }) => title), seconds, depth }]
}

function rankOf(source: string, { file }: Reaching, catches: Catches): number {
  const words = source.replace(/\.ts$/, '').split('/').slice(2)
  const name = basename(file, '.test.ts')
  const named = words.some((word) => name.split('-').some((part) => part === word || `${part}s` === word))
  const beside = file === source.replace(/\.ts$/, '.test.ts')
  return (catches.get(catchKey(source, file)) ?? 0) * 2 + (beside ? 3 : 0) + (named ? 1 : 0)
}
