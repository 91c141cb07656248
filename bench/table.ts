import { medianOf } from './numbers.ts'
import type { Column, Floor, Row } from './suite.ts'

const columns: Column[] = ['raw', 'doStream', 'bare', 'ours']
const floors: Floor[] = ['doStream', 'raw', 'bare']

/** One table: medians, and medians of the ratios of each round. Floors that the suite does not have are left out. */
export function tableOf(suite: string, rows: readonly Row[]): string {
  const has = (column: Column): boolean => rows.some(({ rounds }) => (rounds[column] ?? []).length > 0)
  const shownColumns = columns.filter(has)
  const shownFloors = floors.filter(has)
  const head = [suite, ...shownColumns, ...shownFloors.map((floor) => `x ${floor}`), 'goal']
  const lines = [head, ...rows.map((row) => cellsOf(row, shownColumns, shownFloors))]
  const widths = head.map((_, at) => Math.max(...lines.map((cells) => cells[at]!.length)))
  const texts = lines.map((cells) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd(),
  )
  const [first = '', ...rest] = texts
  return [first, widths.map((width) => '-'.repeat(width)).join('  '), ...rest, ''].join('\n')
}

function cellsOf(row: Row, shownColumns: readonly Column[], shownFloors: readonly Floor[]): string[] {
  return [
    `${row.label}, ${row.unit}`,
    ...shownColumns.map((column) => shown(medianOf(row.rounds[column]), row.digits)),
    ...shownFloors.map((floor) => shown(ratioOf(row, floor), 2)),
    goalOf(row),
  ]
}

function goalOf(row: Row): string {
  const { goal = {}, most } = row
  const limits = floors.flatMap((floor) => {
    const limit = goal[floor]
    return limit === undefined ? [] : [{ words: `${limit} ${floor}`, limit, value: ratioOf(row, floor) }]
  })
  if (most !== undefined) limits.push({ words: `${most} ${row.unit}`, limit: most, value: medianOf(row.rounds.ours) })
  if (limits.length === 0) return ''
  const measured = limits.every(({ value }) => value !== undefined)
  const missed = limits.some(({ value = 0, limit }) => value > limit)
  const words = limits.map((each) => each.words).join(', ')
  return `${words}: ${measured ? (missed ? 'missed' : 'met') : 'not measured'}`
}

/** Ratios are taken round by round, so that a busy moment of the machine weighs on both sides. */
function ratioOf({ rounds }: Row, floor: Floor): number | undefined {
  const [ours = [], base = []] = [rounds.ours, rounds[floor]]
  return medianOf(ours.flatMap((value, at) => (base[at] ? [value / base[at]] : [])))
}

const shown = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? ''
