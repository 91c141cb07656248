import { inFolder } from '../folder.ts'
import { quantileOf } from '../numbers.ts'
import { type Serving, serve } from '../processes.ts'
import { interleave } from '../rounds.ts'
import { type Options, profiling, type Row } from '../suite.ts'
import { gather } from './crowd.ts'

const ROUNDS = { quick: 3, full: 7 }
const WARM = 100
const SINGLES = 300
const BURST = 1000
const child = new URL('./child.ts', import.meta.url).pathname

interface Watched {
  readonly p50: number
  readonly p99: number
  /** What the server used for each of the single events. */
  readonly cpuMs: number
  readonly perSecond: number
}

/** One event to a hundred WebSocket clients: from the beginning of its transaction until the last of them has it. */
export async function watch(options: Options): Promise<Row[]> {
  const rounds = options.quick ? ROUNDS.quick : ROUNDS.full
  const { bare, ours } = await interleave(['bare', 'ours'], rounds, async (variant, round) => {
    const result = await inFolder((folder) => run(variant, folder, variant === 'ours' ? profiling(options) : []))
    options.progress(`watch ${round + 1}: ${variant} p50 ${result.p50.toFixed(2)} ms, ${result.perSecond.toFixed(0)}/s`)
    return result
  })
  const both = (value: (watched: Watched) => number) => ({ bare: bare.map(value), ours: ours.map(value) })
  const to = '1 event to 100 clients'
  return [
    { label: `${to}, the last has it: p50`, unit: 'ms', digits: 2, rounds: both((w) => w.p50), goal: { bare: 2 } },
    { label: `${to}: p99`, unit: 'ms', digits: 2, rounds: both((w) => w.p99) },
    { label: `${to}: CPU of the server`, unit: 'ms', digits: 2, rounds: both((w) => w.cpuMs) },
    { label: 'a burst of 1,000', unit: 'events/s', digits: 0, rounds: both((w) => w.perSecond) },
  ]
}

async function run(variant: string, folder: string, nodeFlags: readonly string[]): Promise<Watched> {
  const server = await serve(child, [variant, folder], nodeFlags)
  const { url, token } = JSON.parse(server.line) as { url: string; token: string }
  const crowd = await gather(url, token)
  const make = (events: number): Promise<number[]> => {
    const heard = crowd.hear(events)
    server.tell(String(events))
    return heard
  }
  try {
    for (let at = 0; at < WARM; at++) await make(1)
    const before = await cpuOf(server)
    const took: number[] = []
    for (let at = 0; at < SINGLES; at++) took.push(...(await make(1)))
    const cpuMs = ((await cpuOf(server)) - before) / SINGLES
    const began = performance.now()
    await make(BURST)
    const perSecond = BURST / ((performance.now() - began) / 1000)
    return { p50: quantileOf(took, 0.5)!, p99: quantileOf(took, 0.99)!, cpuMs, perSecond }
  } finally {
    crowd.leave()
    await server.stop()
  }
}

async function cpuOf(server: Serving): Promise<number> {
  server.tell('cpu')
  return Number(await server.next()) / 1000
}
