import stringWidth from 'string-width'
import { cut } from './chat/cells.ts'
import { paint, say, uncoloured } from './print.ts'

const NARROWEST = 20

/**
 * The keys of the first row become the columns, each as wide as it needs to be; on a terminal that is narrower the widest
 * is cut, as a table whose lines run over is none.
 */
export function table(
  rows: readonly Record<string, string>[],
  empty: string,
  columns: number | undefined = process.stdout.columns,
): void {
  const first = rows[0]
  if (!first) {
    say(paint('dim', empty))
    return
  }
  const keys = Object.keys(first)
  const widthOf = (key: string): number => Math.max(key.length, ...rows.map((row) => shown(row[key] ?? '')))
  const widths = keys.map(widthOf)
  const widest = widths.indexOf(Math.max(...widths))
  const all = widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1))
  if (columns !== undefined && all > columns)
    widths[widest] = Math.min(widths[widest]!, Math.max(NARROWEST, widths[widest]! - (all - columns)))
  const fitted = (cell: string, at: number): string =>
    shown(cell) > widths[at]! ? cut(uncoloured(cell), widths[at]!) : cell
  const line = (cells: readonly string[]): string =>
    cells
      .map(fitted)
      .map((cell, at) => cell + ' '.repeat(widths[at]! - shown(cell)))
      .join('  ')
      .trimEnd()
  say(paint('dim', line(keys.map((key) => key.toUpperCase()))))
  for (const row of rows) say(line(keys.map((key) => row[key] ?? '')))
}

/** How many columns a cell takes: wide characters count twice, colours not at all. */
const shown = (cell: string): number => stringWidth(uncoloured(cell))
