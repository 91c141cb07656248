import stringWidth from 'string-width'
import { paint, say, uncoloured } from './print.ts'

/** A column that gives way keeps so many characters. */
const LEAST = 12

/**
 * The keys of the first row become the columns, each as wide as it needs to be. In a terminal that is too narrow for them
 * the one that is named gives way.
 */
export function table(rows: readonly Record<string, string>[], empty: string, givesWay?: string): void {
  const first = rows[0]
  if (!first) {
    say(paint('dim', empty))
    return
  }
  const keys = Object.keys(first)
  const widthOf = (key: string): number => Math.max(key.length, ...rows.map((row) => shown(row[key] ?? '')))
  const widths = keys.map(widthOf)
  const narrow = givesWay === undefined ? -1 : keys.indexOf(givesWay)
  const most = process.stdout.columns ?? Number.POSITIVE_INFINITY
  const over = widths.reduce((sum, width) => sum + width + 2, -2) - most
  if (narrow >= 0 && over > 0) widths[narrow] = Math.max(LEAST, widths[narrow]! - over)
  const fit = (cell: string, at: number): string => (at === narrow ? cutTo(cell, widths[at]!) : cell)
  const line = (cells: readonly string[]): string =>
    cells
      .map(fit)
      .map((cell, at) => cell + ' '.repeat(widths[at]! - shown(cell)))
      .join('  ')
      .trimEnd()
  say(paint('dim', line(keys.map((key) => key.toUpperCase()))))
  for (const row of rows) say(line(keys.map((key) => row[key] ?? '')))
}

/** How many columns a cell takes: wide characters count twice, colours not at all. */
const shown = (cell: string): number => stringWidth(uncoloured(cell))

function cutTo(cell: string, width: number): string {
  if (shown(cell) <= width) return cell
  let kept = ''
  for (const letter of cell) {
    if (shown(kept + letter) > width - 1) break
    kept += letter
  }
  return `${kept}…`
}
