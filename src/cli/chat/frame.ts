import { cleanBut } from '../../lib/hidden.ts'
import { cells } from './cells.ts'

/** The lines at the bottom of the terminal that change. Lines printed above them stay and scroll away. */
export interface ChatFrame {
  /** Usable columns: one less than there are, because some terminals wrap when the last one is written. */
  readonly width: number
  readonly rows: number
  /** The next draw puts these lines above the frame. */
  print(lines: readonly string[]): void
  draw(lines: readonly string[], cursor: Position): void
  /** Empties the screen; the scrollback stays. */
  wipe(): void
  /** Removes the frame; the lines printed above it stay. */
  close(): void
}

export interface Position {
  readonly row: number
  readonly column: number
}

interface Output {
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

const esc = '\x1b['
const eraseRight = `${esc}K`
const eraseBelow = `${esc}J`
/** Terminals that know these marks show the text between them in one go; others ignore the marks. */
const together = (text: string): string => `${esc}?2026h${text}${esc}?2026l`
const up = (count: number): string => (count > 0 ? `${esc}${count}A` : '')
const right = (count: number): string => (count > 0 ? `${esc}${count}C` : '')

const COLOUR = new RegExp(`(${esc.replace('[', '\\[')}[\\d;]*m)`)

/** Whatever a line was made of, nothing in it moves the cursor: only this file does. */
const onlyColours = (line: string): string => cleanBut(line, COLOUR, (colour) => colour)

/** Rewrites only changed lines, in place and in one write. No line is erased before its replacement is known. */
export function openFrame(output: Output): ChatFrame {
  let shown: readonly string[] = []
  let at: Position = { row: 0, column: 0 }
  let above: string[] = []
  let columns = columnsOf(output)

  const toTop = (): string => `\r${up(at.row)}`

  /** After a resize the terminal has wrapped our lines anew: one row may have become three. */
  function afterResize(): string {
    const rows = shown.slice(0, at.row).reduce((sum, line) => sum + rowsOf(line, columnsOf(output)), 0)
    const within = Math.floor(at.column / columnsOf(output))
    shown = []
    at = { row: 0, column: 0 }
    return `\r${up(rows + within)}${eraseBelow}`
  }

  function draw(given: readonly string[], cursor: Position): void {
    const lines = given.map(onlyColours)
    const start = columns === columnsOf(output) ? toTop() : afterResize()
    columns = columnsOf(output)
    const printed = above.map((line) => `${line}${eraseRight}\r\n`).join('')
    // Printing moves the frame down, so every line is drawn again.
    const before = above.length > 0 ? [] : shown
    const fewer = lines.length < shown.length || above.length > 0
    const body = lines.map((line, row) => (line === before[row] && row < before.length ? '' : `${line}${eraseRight}`))
    const changed = printed !== '' || fewer || lines.length !== shown.length || body.some((line) => line !== '')
    const moved = cursor.row !== at.row || cursor.column !== at.column
    above = []
    if (!changed && !moved && start === toTop()) return
    const home = `${up(lines.length - 1 - cursor.row)}\r${right(cursor.column)}`
    output.write(together(`${start}${printed}${body.join('\r\n')}${fewer ? eraseBelow : ''}${home}`))
    shown = lines
    at = cursor
  }

  return {
    get width() {
      return columnsOf(output) - 1
    },
    get rows() {
      return output.rows ?? 24
    },
    print: (lines) => void above.push(...lines.map(onlyColours)),
    draw,
    wipe() {
      output.write(`${esc}2J${esc}H`)
      shown = []
      at = { row: 0, column: 0 }
    },
    close() {
      const printed = above.map((line) => `${line}\r\n`).join('')
      output.write(together(`${toTop()}${eraseBelow}${printed}`))
      above = []
      shown = []
      at = { row: 0, column: 0 }
    },
  }
}

const columnsOf = (output: Output): number => Math.max(20, output.columns || 80)
const rowsOf = (line: string, columns: number): number => Math.max(1, Math.ceil(cells(line) / columns))
