import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schemaOf } from '../../src/core/tools/schema.ts'
import { ask } from '../processes.ts'
import { interleave } from '../rounds.ts'
import { type Options, profiling, type Row } from '../suite.ts'
import { addTool } from './add.ts'
import { type Job, type Load, type Result, type VariantName, WARM_CALLS } from './job.ts'
import { type Measured, parts } from './parts.ts'
import type { Seen } from './script.ts'
import { type StandIn, startStandIn } from './stand-in.ts'

const child = new URL('./child.ts', import.meta.url).pathname

/** Compares what a model call costs: ours, a loop by hand, and the provider's package alone. */
export async function turn(options: Options): Promise<Row[]> {
  const chosen = Object.entries(parts).filter(([name]) => options.part === undefined || options.part === name)
  if (chosen.length === 0)
    throw new Error(`There is no part "${options.part}"; there are ${Object.keys(parts).join(', ')}.`)
  const vendor = await startStandIn()
  try {
    const { system = '' } = await run(vendor, 'ours', parts.start!.load, '', [])
    const rows: Row[] = []
    for (const [name, part] of chosen) {
      const results = await interleave(part.variants, options.quick ? 1 : part.rounds, async (variant, round) => {
        const flags = isOurs(variant) ? profiling(options) : []
        const result = await run(vendor, variant, part.load, system, flags)
        options.progress(
          `${name} ${round + 1}: ${variant} ${result.cpuMs.toFixed(0)} ms CPU, ${result.wallMs.toFixed(0)} ms`,
        )
        return result
      })
      rows.push(...part.rows(results, part.load))
    }
    return rows
  } finally {
    await vendor.stop()
  }
}

let runs = 0

async function run(
  vendor: StandIn,
  variant: VariantName,
  load: Load,
  system: string,
  nodeFlags: readonly string[],
): Promise<Measured> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-bench-')))
  const name = `run${++runs}`
  try {
    const job: Job = { variant, run: name, vendor: vendor.baseURL, folder, system, tools: [schemaOf(addTool)], load }
    const began = performance.timeOrigin + performance.now()
    const result = await ask<Result>(child, job, nodeFlags)
    const seen = await vendor.seen(name)
    checkSeen(variant, load, seen)
    return { ...result, startMs: seen.firstAt - began }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Checks by the vendor's count that no call was left out and none was made twice. */
function checkSeen(variant: VariantName, { talks, calls, warm, seed }: Load, seen: Seen): void {
  const expected = calls + (seed === undefined ? 0 : 6)
  const wrong = Object.entries(seen.talks).find(
    ([talk, count]) => count !== (talk.startsWith('warm') ? WARM_CALLS : expected),
  )
  const count = Object.keys(seen.talks).length - warm
  if (wrong !== undefined) seen.problems.push(`${wrong[0]} made ${wrong[1]} calls`)
  if (count !== talks) seen.problems.push(`${count} conversations instead of ${talks}`)
  if (seen.problems.length > 0) throw new Error(`${variant}: ${seen.problems.slice(0, 5).join('; ')}`)
}

const isOurs = (variant: VariantName): boolean => variant === 'ours' || variant === 'http'
