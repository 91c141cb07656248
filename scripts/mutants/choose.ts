import { basename } from 'node:path'
import type { Mutant } from './places.ts'
import type { Reach } from './reach.ts'

/** The tests of one file that run the changed code. */
export interface Reaching {
  readonly file: string
  readonly titles: readonly string[]
  readonly seconds: number
}

/** Which test files caught mutants of which source, so far. */
export type Catches = Map<string, number>
export const catchKey = (source: string, test: string): string => `${source} ${test}`

/** Likely ones first: those that caught others of this file, then those named like it, then the fastest. */
export function reaching(mutant: Mutant, all: readonly Reach[], catches: Catches): Reaching[] {
  return all
    .flatMap((reach) => reachOf(mutant, reach))
    .map((found) => ({ found, rank: rankOf(mutant.file, found, catches) }))
    .sort((a, b) => b.rank - a.rank || a.found.seconds - b.found.seconds)
    .map(({ found }) => found)
}

/** From the front as many as fit the time, at least one. */
export function affordable(found: readonly Reaching[], seconds: number): Reaching[] {
  let spent = 0
  return found.filter((one, place) => {
    spent += one.seconds
    return place === 0 || spent <= seconds
  })
}

function reachOf({ file, block }: Mutant, reach: Reach): Reaching[] {
  const number = reach.blocks.indexOf(`${file}#${block}`)
  if (number === -1) return []
  const everywhere = reach.always.includes(number)
  const tests = reach.tests.filter(({ hits }) => everywhere || hits.includes(number))
  if (tests.length === 0) return []
  const seconds = tests.reduce((sum, test) => sum + test.seconds, reach.seconds)
  return [{ file: reach.file, titles: tests.map(({ title }) => title), seconds }]
}

function rankOf(source: string, { file }: Reaching, catches: Catches): number {
  const words = source.replace(/\.ts$/, '').split('/').slice(2)
  const name = basename(file, '.test.ts')
  const named = words.some((word) => name.split('-').some((part) => part === word || `${part}s` === word))
  const beside = file === source.replace(/\.ts$/, '.test.ts')
  return (catches.get(catchKey(source, file)) ?? 0) * 2 + (beside ? 3 : 0) + (named ? 1 : 0)
}
