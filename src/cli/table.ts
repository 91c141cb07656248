import stringWidth from 'string-width'
import { paint, say, uncoloured } from './print.ts'

/** The keys of the first row become the columns, each as wide as it needs to be. */
export function table(rows: readonly Record<string, string>[], empty: string): void {
  const first = rows[0]
  if (!first) {
    say(paint('dim', empty))
    return
  }
  const keys = Object.keys(first)
  const widthOf = (key: string): number => Math.max(key.length, ...rows.map((row) => shown(row[key] ?? '')))
  const widths = keys.map(widthOf)
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell + ' '.repeat(widths[at]! - shown(cell)))
      .join('  ')
      .trimEnd()
  say(paint('dim', line(keys.map((key) => key.toUpperCase()))))
  for (const row of rows) say(line(keys.map((key) => row[key] ?? '')))
}

/** How many columns a cell takes: wide characters count twice, colours not at all. */
const shown = (cell: string): number => stringWidth(uncoloured(cell))
