import { setTimeout as pause } from 'node:timers/promises'
import { type Footprint, IDLE_MS } from './job.ts'
import { openOurs } from './ours.ts'

const AT_ONCE = 8

/** `node --expose-gc idle.ts '{…,"counts":[…]}'`: measures sessions that had one exchange each and now do nothing. */
const { folder, vendor, counts } = JSON.parse(process.argv[2] ?? '{}') as {
  folder: string
  vendor: string
  counts: number[]
}
const ours = await openOurs(folder, vendor)
const footprints: Footprint[] = []
let sessions = 0
for (const count of counts) {
  for (; sessions < count; sessions += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, oneExchange))
  footprints.push(await footprint())
}
await ours.close()
process.stdout.write(`${JSON.stringify(footprints)}\n`)

async function oneExchange(): Promise<void> {
  await ours.toIdle(await ours.open())
}

async function footprint(): Promise<Footprint> {
  await settle()
  const before = process.cpuUsage()
  await pause(IDLE_MS)
  const { user, system } = process.cpuUsage(before)
  await settle()
  const { heapUsed, external, rss } = process.memoryUsage()
  const memory = { heapBytes: heapUsed + external, rssBytes: rss, diskBytes: ours.diskBytes() }
  return { sessions, ...memory, idleCpuMs: (user + system) / 1000 }
}

/** Collecting garbage takes more than one pass: one pass can end things that hold more of it. */
async function settle(): Promise<void> {
  for (let pass = 0; pass < 4; pass++) {
    globalThis.gc!()
    await pause(50)
  }
}
