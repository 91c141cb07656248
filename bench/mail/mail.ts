import { inFolder } from '../folder.ts'
import { quantileOf } from '../numbers.ts'
import { ask } from '../processes.ts'
import { type Options, profiling, type Row } from '../suite.ts'
import { startVendor } from '../vendor.ts'
import { type Footprint, IDLE_MS, type Times } from './job.ts'

const ROUNDS = { quick: 2, full: 5 }
const SAMPLES = { quick: 150, full: 500 }
/** The other counts are compared with the first: by then every part has been in use. */
const COUNTS = { quick: [800, 1800], full: [800, 1800, 5800] }
/** Thousands of exchanges take a while. */
const IDLE_LIMIT_MS = 600_000
const here = (name: string): string => new URL(name, import.meta.url).pathname

/** How long mail takes from deliver() to the target's history in one process, and what idle sessions cost. */
export async function mail(options: Options): Promise<Row[]> {
  const vendor = await startVendor(here('./script.ts'))
  const [size, flags] = [options.quick ? ('quick' as const) : ('full' as const), profiling(options)]
  try {
    const rounds: Times[] = []
    for (let round = 1; round <= ROUNDS[size]; round++) {
      const question = { vendor: vendor.baseURL, samples: SAMPLES[size] }
      const times = await inFolder((folder) => ask<Times>(here('./times.ts'), { folder, ...question }, flags))
      options.progress(
        `mail ${round}: idle p50 ${p50(times.idle).toFixed(2)} ms, busy ${p50(times.busy).toFixed(2)} ms`,
      )
      rounds.push(times)
    }
    const question = { vendor: vendor.baseURL, counts: COUNTS[size] }
    const footprints = await inFolder((folder) =>
      ask<Footprint[]>(here('./idle.ts'), { folder, ...question }, ['--expose-gc'], IDLE_LIMIT_MS),
    )
    return [...timeRows(rounds), ...idleRows(footprints)]
  } finally {
    await vendor.stop()
  }
}

function timeRows(rounds: readonly Times[]): Row[] {
  const parts = [
    ['deliver() until it is accepted', 'accepted'],
    ['until it is in the history of an idle session', 'idle'],
    ['the same, busy: its tool ends on acceptance', 'busy'],
  ] as const
  const row = (label: string, of: keyof Times, quantile: (times: readonly number[]) => number): Row => ({
    label,
    unit: 'ms',
    digits: 3,
    rounds: { bare: rounds.map(({ bare }) => quantile(bare)), ours: rounds.map((times) => quantile(times[of])) },
  })
  return parts.flatMap(([label, of]) => [row(`${label}: p50`, of, p50), row(`${label}: p99`, of, p99)])
}

function idleRows([base, ...later]: readonly Footprint[]): Row[] {
  return later.flatMap((footprint) => {
    const more = footprint.sessions - base!.sessions
    const per = (of: 'heapBytes' | 'rssBytes' | 'diskBytes') => (footprint[of] - base![of]) / more / 1024
    const row = (label: string, unit: string, value: number): Row => ({
      label: `${more} more idle sessions: ${label}`,
      unit,
      digits: 1,
      rounds: { ours: [value] },
    })
    return [
      { ...row('heap of each', 'KB', per('heapBytes')), most: 10 },
      row('RSS of each', 'KB', per('rssBytes')),
      row('disk of each, with one exchange', 'KB', per('diskBytes')),
      { ...row(`CPU in ${IDLE_MS / 1000} s`, 'ms', footprint.idleCpuMs), most: 50 },
      row(`CPU in ${IDLE_MS / 1000} s without them`, 'ms', base!.idleCpuMs),
    ]
  })
}

const p50 = (times: readonly number[]): number => quantileOf(times, 0.5)!
const p99 = (times: readonly number[]): number => quantileOf(times, 0.99)!
