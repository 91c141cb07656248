import { openBare } from './bare.ts'
import type { Times } from './job.ts'
import { openOurs } from './ours.ts'

const WARM = 100

/** `node times.ts '{"folder":…,"vendor":…,"samples":…}'`: measures the floor, an idle target and a busy one in turn. */
const { folder, vendor, samples } = JSON.parse(process.argv[2] ?? '{}')
const bare = openBare(folder)
const ours = await openOurs(folder, vendor)
const id = await ours.open()
const times: Times = { bare: [], accepted: [], idle: [], busy: [] }

for (let at = -WARM; at < samples; at++) {
  const inBare = bare.deliver()
  const { accepted, taken } = await ours.toIdle(id)
  const busy = await ours.toBusy(id)
  if (at < 0) continue
  times.bare.push(inBare)
  times.accepted.push(accepted)
  times.idle.push(taken)
  times.busy.push(busy)
}
await ours.close()
bare.close()
process.stdout.write(`${JSON.stringify(times)}\n`)
