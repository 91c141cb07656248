import { inFolder } from '../folder.ts'
import { quantileOf } from '../numbers.ts'
import { ask } from '../processes.ts'
import { type Options, profiling, type Row } from '../suite.ts'
import type { MemoryQuestion, MemoryTimes } from './job.ts'

const SIZES = {
  quick: { rounds: 1, sections: 100_000, searches: 100, edits: 10 },
  full: { rounds: 3, sections: 100_000, searches: 300, edits: 30 },
}
const LIMIT_MS = 300_000
const child = new URL('./child.ts', import.meta.url).pathname

/** A search over 100,000 sections, which looks at every file first, against the bare full-text query on the same index. */
export async function memory(options: Options): Promise<Row[]> {
  const { rounds: count, ...size } = SIZES[options.quick ? 'quick' : 'full']
  const rounds: MemoryTimes[] = []
  for (let round = 1; round <= count; round++) {
    const times = await inFolder((folder) =>
      ask<MemoryTimes>(child, { folder, ...size } satisfies MemoryQuestion, profiling(options), LIMIT_MS),
    )
    options.progress(`memory ${round}: the index was built in ${(times.buildMs / 1000).toFixed(1)} s`)
    rounds.push(times)
  }
  const row = (label: string, of: 'ours' | 'edited', share: number): Row => ({
    label: `${label}: p${share * 100}`,
    unit: 'ms',
    digits: 2,
    rounds: {
      bare: rounds.map(({ bare }) => quantileOf(bare, share)!),
      ours: rounds.map((times) => quantileOf(times[of], share)!),
    },
    ...(of === 'ours' && share === 0.5 && { most: 50 }),
  })
  return [
    row('search over 100,000 sections', 'ours', 0.5),
    row('search over 100,000 sections', 'ours', 0.99),
    row('the same right after an edit of one file', 'edited', 0.5),
    row('the same right after an edit of one file', 'edited', 0.99),
  ]
}
