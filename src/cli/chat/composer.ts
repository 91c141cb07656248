import { cells, graphemesOf } from './cells.ts'
import type { Draft } from './draft.ts'
import type { Position } from './frame.ts'

interface Laid {
  readonly lines: readonly string[]
  readonly cursor: Position
}

const TAB = '    '

/** The draft in lines of `width` columns, at most `height` of them: those around the cursor. */
export function layDraft({ text, at }: Draft, width: number, height: number): Laid {
  const lines = ['']
  let cursor: Position | undefined
  let column = 0
  let offset = 0
  const breakLine = (): void => {
    lines.push('')
    column = 0
  }
  for (const grapheme of graphemesOf(text)) {
    const shown = grapheme === '\t' ? TAB : grapheme
    const wide = grapheme === '\n' ? 0 : cells(shown)
    if (column + wide > width) breakLine()
    if (offset >= at) cursor ??= { row: lines.length - 1, column }
    if (grapheme === '\n') breakLine()
    else {
      lines[lines.length - 1] += shown
      column += wide
    }
    offset += grapheme.length
  }
  cursor ??= { row: lines.length - 1, column }
  const from = Math.max(0, Math.min(cursor.row - Math.floor(height / 2), lines.length - height))
  return { lines: lines.slice(from, from + height), cursor: { ...cursor, row: cursor.row - from } }
}
