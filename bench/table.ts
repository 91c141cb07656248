import type { Column, Floor, Row } from './suite.ts'

const columns: Column[] = ['raw', 'doStream', 'ours']
const floors: Floor[] = ['doStream', 'raw']

/** One table: medians, and the medians of the rounds' own ratios. */
export function print(suite: string, rows: readonly Row[]): void {
  const head = [suite, ...columns, ...floors.map((floor) => `x ${floor}`), 'goal']
  const lines = [head, ...rows.map(cellsOf)]
  const widths = head.map((_, at) => Math.max(...lines.map((cells) => cells[at]!.length)))
  for (const [index, cells] of lines.entries()) {
    const text = cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
    process.stdout.write(`${text.join('  ').trimEnd()}\n`)
    if (index === 0) process.stdout.write(`${widths.map((width) => '-'.repeat(width)).join('  ')}\n`)
  }
}

function cellsOf(row: Row): string[] {
  const ratios = floors.map((floor) => ratioOf(row, floor))
  return [
    `${row.label}, ${row.unit}`,
    ...columns.map((column) => shown(medianOf(row.rounds[column]), row.digits)),
    ...ratios.map((ratio) => shown(ratio, 2)),
    goalOf(row, ratios),
  ]
}

function goalOf({ goal }: Row, ratios: readonly (number | undefined)[]): string {
  if (goal === undefined) return ''
  const limits = floors.map((floor) => goal[floor])
  const missed = limits.some((limit, at) => limit !== undefined && (ratios[at] ?? 0) > limit)
  const words = floors.flatMap((floor, at) => (limits[at] === undefined ? [] : [`${limits[at]} ${floor}`]))
  return `${words.join(', ')}: ${missed ? 'missed' : 'met'}`
}

/** Round by round, so that a busy moment of the machine weighs on both sides. */
function ratioOf({ rounds }: Row, floor: Floor): number | undefined {
  const [ours = [], base = []] = [rounds.ours, rounds[floor]]
  return medianOf(ours.flatMap((value, at) => (base[at] ? [value / base[at]] : [])))
}

export function medianOf(values: readonly number[] = []): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}

const shown = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? ''
