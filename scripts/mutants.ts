import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { campaign } from './mutants/campaign.ts'
import { type Lane, openLane } from './mutants/lane.ts'
import { mutantsOf } from './mutants/places.ts'
import { collectReach } from './mutants/reach.ts'
import { readReasons } from './mutants/reasons.ts'
import { sample } from './mutants/sample.ts'

const LANES = 2
/** These tests are slow and say little about one line; a mutant that only they would catch wants a test of its own. */
const LEFT_OUT = /^test\/(e2e|soak|faults\/crash|package|bench|structure|schemas|mutants)/

const usage =
  'npm run mutants -- <files or folders of src> [--count 40] [--seed n] [--seconds 60] [--patience 60] [--tests <folder>]'
const project = realpathSync(process.cwd())

class Misuse extends Error {}

async function main(): Promise<number> {
  const { paths, allowed, count, seed, ...time } = readArguments()
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).split('\n').sort()
  const code = [...new Set(listed)].filter((file) => file.endsWith('.ts') && statSync(file, { throwIfNoEntry: false }))
  const sources = code.filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'))
  const chosen = sources.filter((file) => isBelow(file, paths))
  for (const path of paths) {
    if (!chosen.some((file) => isBelow(file, [path]))) {
      throw new Misuse(`There are no sources at ${path}: name files or folders below src/, as git knows them.`)
    }
  }

  const reasons = readReasons(join(project, 'scripts/mutants/reasons.md'))
  const all = chosen.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')))
  const places = all.filter((mutant) => !reasons.has(mutant.name))
  const mutants = sample(places, count, seed)
  const excused = all.length - places.length
  console.log(
    `Seed ${seed}: ${mutants.length} of ${places.length} places in ${chosen.length} files${excused > 0 ? `, ${excused} more have a reason` : ''}.`,
  )

  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'tm-'))
  let lanes: Promise<Lane[]> | undefined
  const openLanes = () => {
    lanes ??= Promise.all(Array.from({ length: LANES }, (_, lane) => openLane(project, join(folder, String(lane)))))
    return lanes
  }
  // Ctrl-C also removes the copies and ends what runs in them.
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  try {
    const tests = code.filter((file) => file.endsWith('.test.ts') && !LEFT_OUT.test(file))
    const helpers = code.filter((file) => !file.endsWith('.test.ts') && /^(test\/|[^/]+$)/.test(file))
    const asked = tests.filter((file) => allowed.length === 0 || isBelow(file, allowed))
    const reach = await collectReach(project, { sources, helpers, tests: asked }, openLanes, console.log)
    return await campaign(mutants, reach, await openLanes(), time)
  } finally {
    for (const lane of (await lanes?.catch(() => [])) ?? []) await lane.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const inProject = (path: string): string => relative(project, resolve(path))

const isBelow = (file: string, paths: readonly string[]): boolean =>
  paths.some((path) => file === path || file.startsWith(`${path}/`))

function readArguments() {
  const options = {
    count: { type: 'string' },
    seed: { type: 'string' },
    seconds: { type: 'string' },
    patience: { type: 'string' },
    tests: { type: 'string', multiple: true },
  } as const
  const { values, positionals } = (() => {
    try {
      return parseArgs({ options, allowPositionals: true })
    } catch (error) {
      throw new Misuse((error as Error).message)
    }
  })()
  if (positionals.length === 0) throw new Misuse('Name at least one file or folder.')
  const number = (name: Exclude<keyof typeof values, 'tests'>, otherwise: number): number => {
    const value = Number(values[name] ?? otherwise)
    if (!Number.isSafeInteger(value) || value < 1) throw new Misuse(`--${name} is a whole number from 1 on.`)
    return value
  }
  return {
    paths: positionals.map(inProject),
    /** Only these tests may catch mutants; all may when none is named. */
    allowed: (values.tests ?? []).map(inProject),
    count: number('count', 40),
    seed: number('seed', 1 + Math.floor(Math.random() * 999_999)),
    /** How long the tests of one mutant may take, by what they took before. */
    seconds: number('seconds', 60),
    /** How many seconds beyond three times the usual the tests get before they count as stuck. */
    patience: number('patience', 60),
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof Misuse)) throw error
  console.error(`${error.message}\nUsage: ${usage}`)
  process.exitCode = 2
}
