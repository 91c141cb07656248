import type { Tokens } from 'marked'
import { cells, padTo, wrapWords } from './cells.ts'
import { inline } from './inline.ts'
import { bold, dim } from './style.ts'

const GAP = 3
const NARROWEST = 8

/** A table in at most `width` columns. Its cells wrap; when even that is too narrow, each row becomes a list. */
export function grid({ header, rows, align }: Tokens.Table, width: number): string[] {
  const head = header.map(({ tokens }) => bold(inline(tokens)))
  const body = rows.map((row) => row.map(({ tokens }) => inline(tokens)))
  const wanted = head.map((cell, column) => Math.max(cells(cell), ...body.map((row) => widest(row[column] ?? ''))))
  const widths = shrink(wanted, width - GAP * (head.length - 1))
  if (!widths) return records(head, body, width)
  const rule = dim(widths.map((size) => '─'.repeat(size)).join('─┼─'))
  const lay = (row: readonly string[]): string[] => layRow(row, widths, align)
  return [...lay(head), rule, ...body.flatMap(lay)]
}

const widest = (text: string): number => Math.max(0, ...text.split('\n').map(cells))

/** Narrows the widest column until all columns fit; undefined when they cannot. */
function shrink(wanted: readonly number[], width: number): number[] | undefined {
  const widths = wanted.map((size) => Math.max(1, size))
  let over = widths.reduce((sum, size) => sum + size, 0) - width
  while (over > 0) {
    const most = Math.max(...widths)
    if (most <= NARROWEST) return undefined
    widths[widths.indexOf(most)] = most - 1
    over -= 1
  }
  return widths
}

function layRow(row: readonly string[], widths: readonly number[], align: Tokens.Table['align']): string[] {
  const columns = widths.map((size, at) => wrapWords(row[at] ?? '', size))
  const height = Math.max(1, ...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((lines, at) => {
        const text = lines[line] ?? ''
        const size = widths[at]!
        return align[at] === 'right' ? ' '.repeat(Math.max(0, size - cells(text))) + text : padTo(text, size)
      })
      .join(dim(' │ '))
      .trimEnd(),
  )
}

const records = (head: readonly string[], body: readonly (readonly string[])[], width: number): string[] =>
  body.flatMap((row, at) => [
    ...(at > 0 ? [''] : []),
    ...row.flatMap((cell, column) => wrapWords(`${head[column] ?? ''}: ${cell}`, width)),
  ])
