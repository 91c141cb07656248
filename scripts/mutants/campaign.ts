import { readFileSync } from 'node:fs'
import { affordable, type Catches, catchKey, type Reaching, reaching } from './choose.ts'
import type { Lane } from './lane.ts'
import { type Mutant, mutated } from './places.ts'
import type { Reach } from './reach.ts'

type Verdict = 'caught' | 'timed out' | 'survived' | 'not run'

interface Result {
  readonly mutant: Mutant
  readonly verdict: Verdict
  readonly why: string
}

/** In seconds: how long the tests of one mutant may usually take, and how much longer until they count as stuck. */
interface Time {
  readonly seconds: number
  readonly patience: number
}

/** A test that takes this long with a mutant will not end. */
const SLOWEST_TEST_MS = 30_000

/** Runs the tests of each mutant, prints the results, and returns the exit code. */
export async function campaign(
  mutants: readonly Mutant[],
  reach: readonly Reach[],
  lanes: readonly Lane[],
  time: Time,
): Promise<number> {
  const waiting = [...mutants]
  const results: Result[] = []
  const catches: Catches = new Map()
  await Promise.all(
    lanes.map(async (lane) => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const result = await attempt(mutant, reaching(mutant, reach, catches), lane, time, catches)
        results.push(result)
        console.log(
          `${String(results.length).padStart(3)}/${mutants.length} ${result.verdict.padEnd(9)} ${mutant.file}:${mutant.line} ${mutant.kind} (${result.why})`,
        )
      }
    }),
  )
  return conclude(results)
}

async function attempt(
  mutant: Mutant,
  found: readonly Reaching[],
  lane: Lane,
  { seconds, patience }: Time,
  catches: Catches,
): Promise<Result> {
  if (found.length === 0) return { mutant, verdict: 'survived', why: 'no test reaches it' }
  const chosen = affordable(found, seconds)
  const expected = chosen.reduce((sum, one) => sum + one.seconds, 0)
  const plan = {
    files: chosen.map(({ file }) => file),
    tests: [...new Set(chosen.flatMap(({ titles }) => titles))],
    bail: 1,
    testTimeoutMs: SLOWEST_TEST_MS,
  }
  const source = readFileSync(mutant.file, 'utf8')
  lane.write(mutant.file, mutated(source, mutant))
  const { report, timedOut } = await lane.run(plan, (patience + expected * 3) * 1000)
  lane.write(mutant.file, source)

  if (timedOut) return { mutant, verdict: 'timed out', why: `more than three times the usual ${Math.ceil(expected)} s` }
  const catcher = report?.find(({ failed }) => failed)
  if (catcher !== undefined) {
    const key = catchKey(mutant.file, catcher.file)
    catches.set(key, (catches.get(key) ?? 0) + 1)
    const test = catcher.tests.find(({ failed }) => failed)
    if (test === undefined) return { mutant, verdict: 'caught', why: `${catcher.file} does not load` }
    return { mutant, verdict: test.late ? 'timed out' : 'caught', why: test.title }
  }
  const ran = report?.flatMap(({ tests }) => tests).length ?? 0
  if (ran === 0) return { mutant, verdict: 'not run', why: 'no test was executed' }
  const rest = found.length > chosen.length ? ` of ${found.length} that reach it, --seconds allows no more` : ''
  return { mutant, verdict: 'survived', why: `${ran} tests of ${chosen.length} files${rest}` }
}

function conclude(results: readonly Result[]): number {
  const of = (verdict: Verdict) => results.filter((result) => result.verdict === verdict)
  const survivors = of('survived')
  for (const { mutant, why } of of('timed out'))
    console.log(`\nTimed out, counted as caught: ${describe(mutant)}  ${why}`)
  for (const { mutant, why } of survivors) console.log(`\nSURVIVED ${describe(mutant)}  ${why}`)
  for (const { mutant, why } of of('not run')) console.log(`\nNOT RUN ${describe(mutant)}  ${why}`)
  const caught = of('caught').length + of('timed out').length
  console.log(`\n${caught} caught, ${survivors.length} survived, ${of('not run').length} not run.`)
  if (survivors.length > 0) {
    console.log(
      'Write the test that sees it, delete code that nobody needs, or give the reason in scripts/mutants/reasons.md.',
    )
  }
  return survivors.length + of('not run').length > 0 ? 1 : 0
}

/** The place, the change as a diff of its lines, and the name for the list of reasons. */
function describe(mutant: Mutant): string {
  const source = readFileSync(mutant.file, 'utf8')
  const from = source.lastIndexOf('\n', mutant.start - 1) + 1
  const lineEnd = (text: string, at: number) => (text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at))
  const after = mutated(source, mutant)
  const lines = (text: string, end: number, sign: string) =>
    text
      .slice(from, lineEnd(text, end))
      .split('\n')
      .map((line) => `  ${sign} ${line}\n`)
      .join('')
  const was = lines(source, mutant.end, '-')
  const is = lines(after, mutant.start + mutant.becomes.length, '+')
  return `${mutant.file}:${mutant.line} ${mutant.kind}\n${was}${is}  \`\` ${mutant.name} \`\`\n`
}
