import { medianOf } from '../numbers.ts'
import type { Row } from '../suite.ts'
import type { Load, Result, VariantName } from './job.ts'

export interface Measured extends Result {
  /** From the start of the process to the first request at the vendor. */
  readonly startMs: number
}

type Results = Readonly<Partial<Record<VariantName, readonly Measured[] | undefined>>>

export interface Part {
  readonly rounds: number
  readonly variants: readonly VariantName[]
  readonly load: Load
  rows(results: Results, load: Load): Row[]
}

const all: VariantName[] = ['raw', 'doStream', 'ours']
const withHttp: VariantName[] = [...all, 'http']

/** Measures ours through the front door in place of ours from inside. */
const overHttp = (results: Results): Results => ({ ...results, ours: results.http })

export const parts: Record<string, Part> = {
  steady: {
    rounds: 5,
    variants: withHttp,
    // So many calls that compiling our code weighs little: a server runs for days.
    load: { talks: 24, calls: 50, warm: 4, delay: 0 },
    rows: (results, { talks, calls }) => {
      const each = talks * calls
      const http = overHttp(results)
      return [
        row('CPU per model call', 'ms', 2, results, (r) => r.cpuMs / each, { doStream: 1.4 }),
        row('wall per model call', 'ms', 2, results, (r) => r.wallMs / each),
        row('CPU per model call, over HTTP', 'ms', 2, http, (r) => r.cpuMs / each, { doStream: 1.7 }),
        row('wall per model call, over HTTP', 'ms', 2, http, (r) => r.wallMs / each),
      ]
    },
  },
  fresh: {
    rounds: 3,
    variants: all,
    load: { talks: 1, calls: 40, warm: 2, delay: 0, seed: 0 },
    rows: (results, { calls }) => [row('disk per model call, empty history', 'B', 0, results, (r) => r.bytes / calls)],
  },
  long: {
    rounds: 3,
    variants: all,
    load: { talks: 1, calls: 40, warm: 2, delay: 0, seed: 5000 },
    rows: (results, { calls }) => [
      row('disk per model call at 5,000 messages', 'B', 0, results, (r) => r.bytes / calls),
      row('CPU per model call at 5,000', 'ms', 2, results, (r) => r.cpuMs / calls, { doStream: 1.2 }),
      row('wall per model call at 5,000', 'ms', 2, results, (r) => r.wallMs / calls),
    ],
  },
  cold: coldly(5000, 12, 2),
  short: coldly(500, 24, 3),
  many: {
    rounds: 3,
    variants: withHttp,
    load: { talks: 1000, calls: 4, warm: 2, delay: 200 },
    rows: (results) => {
      const http = overHttp(results)
      return [
        row('1,000 conversations of 4 calls: wall', 's', 2, results, (r) => r.wallMs / 1000),
        row('1,000 conversations: CPU', 's', 2, results, (r) => r.cpuMs / 1000),
        row('1,000 conversations: peak RSS', 'MB', 0, results, (r) => r.peakMB),
        row('the same over HTTP: wall', 's', 2, http, (r) => r.wallMs / 1000, { doStream: 1.5 }),
        row('the same over HTTP: CPU', 's', 2, http, (r) => r.cpuMs / 1000, { doStream: 1.5 }),
        row('the same over HTTP: peak RSS', 'MB', 0, http, (r) => r.peakMB),
      ]
    },
  },
  start: {
    rounds: 3,
    variants: all,
    load: { talks: 1, calls: 1, warm: 0, delay: 0 },
    rows: (results) => [
      row('start to first request, from sources', 'ms', 0, results, (r) => r.startMs),
      row('RSS after one call, from sources', 'MB', 0, results, (r) => r.rssMB),
    ],
  },
}

/** The first calls of sessions whose history is on disk only: the usual one, and the very first of the process. */
function coldly(seed: number, talks: number, doStream: number): Part {
  const at = seed.toLocaleString('en')
  return {
    rounds: 3,
    variants: all,
    load: { talks, calls: 2, warm: 2, delay: 0, seed },
    rows: (results) => [
      row(`CPU of the first call at ${at}, with loading`, 'ms', 1, results, usual, { doStream }),
      row(`the same, first in its process`, 'ms', 1, results, ({ first }) => first![0]!.cpuMs),
    ],
  }
}

const usual = ({ first }: Measured): number => medianOf(first!.map(({ cpuMs }) => cpuMs))!

function row(
  label: string,
  unit: string,
  digits: number,
  results: Results,
  value: (result: Measured) => number,
  goal?: Row['goal'],
): Row {
  const of = (variant: VariantName): number[] => (results[variant] ?? []).map(value)
  const rounds = { raw: of('raw'), doStream: of('doStream'), ours: of('ours') }
  return { label, unit, digits, rounds, ...(goal === undefined ? {} : { goal }) }
}
