import { check } from './check.ts'
import type { Cost, Job, Result, Variant, VariantName } from './job.ts'
import { seedsOf, WARM_CALLS } from './job.ts'
import { messageFor } from './script.ts'

/** One process, one variant, one load: `node bench/turn/child.ts '{"variant":"raw", …}'`. */
const job = JSON.parse(process.argv[2] ?? '{}') as Job
const { load } = job

const variants: Record<VariantName, () => Promise<Variant>> = {
  raw: async () => (await import('./raw.ts')).openRaw(job),
  doStream: async () => (await import('./do-stream.ts')).openDoStream(job),
  ours: async () => (await import('./ours.ts')).openOurs(job, 'deliver'),
  http: async () => (await import('./ours.ts')).openOurs(job, 'http'),
}
const variant = await variants[job.variant]()

for (let at = 0; at < load.warm; at++) {
  await variant.open(`warm${at}`, [])
  await say(`warm${at}`, WARM_CALLS)
}
const talks = Array.from({ length: load.talks }, (_, at) => `talk${at}`)
const history = seedsOf(load.seed ?? 0)
for (const talk of talks) await variant.open(talk, history)

const turns: number[] = []
const first: Cost[] = []
if (load.seed !== undefined) {
  for (const talk of talks) first.push(await costOf(() => say(talk, 1)))
  await sayAll(5, 0)
  turns.push(1, 5)
}
turns.push(load.calls)
const before = variant.bytes()
const cost = await costOf(() => sayAll(load.calls, load.delay))

const result: Result = {
  ...cost,
  ...(first.length === 0 ? {} : { first }),
  bytes: variant.bytes() - before,
  rssMB: process.memoryUsage.rss() / 2 ** 20,
  peakMB: process.resourceUsage().maxRSS / 1024,
  ...(variant.system === undefined ? {} : { system: variant.system() }),
}
for (const talk of talks) check(talk, history, turns, await variant.stored(talk))
await variant.close()
process.stdout.write(`${JSON.stringify(result)}\n`)

function sayAll(calls: number, delay: number): Promise<unknown> {
  return Promise.all(talks.map((talk) => say(talk, calls, delay)))
}

function say(talk: string, calls: number, delay = 0): Promise<void> {
  return variant.converse(talk, messageFor(job.run, talk, calls, delay))
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const cpu = process.cpuUsage()
  const began = performance.now()
  await work()
  const wallMs = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMs: (user + system) / 1000, wallMs }
}
