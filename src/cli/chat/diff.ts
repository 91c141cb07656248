import { diffLines } from 'diff'
import { tame } from './cells.ts'
import { style } from './style.ts'

interface Change {
  readonly added: number
  readonly removed: number
  readonly lines: readonly string[]
}

/** Comparing is quadratic at worst, so longer texts are shown as all removed and all added. */
const COMPARED = 20_000
const CONTEXT = 3

/** What a call changes in a file; undefined when its tool changes none. */
export function changeOf(name: string, input: unknown): Change | undefined {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  if (name === 'edit_file') return compare(text(fields.old_string), text(fields.new_string))
  // The call does not hold what the file had before.
  if (name === 'write_file') return compare('', text(fields.content))
  return undefined
}

const text = (value: unknown): string => (typeof value === 'string' ? tame(value) : '')

function compare(before: string, after: string): Change {
  const long = before.length + after.length > COMPARED
  const parts = long
    ? [
        { value: before, removed: true, added: false },
        { value: after, added: true, removed: false },
      ]
    : diffLines(endsInLine(before), endsInLine(after))
  let added = 0
  let removed = 0
  const lines = parts.flatMap(({ value, added: isNew, removed: isOld }, at) => {
    const own = linesOf(value)
    if (isNew) added += own.length
    if (isOld) removed += own.length
    if (isNew) return own.map((line) => style('green', `+ ${line}`))
    if (isOld) return own.map((line) => style('red', `- ${line}`))
    return around(own, at > 0, at < parts.length - 1).map((line) => style('dim', `  ${line}`))
  })
  return { added, removed, lines }
}

const endsInLine = (value: string): string => (value === '' || value.endsWith('\n') ? value : `${value}\n`)
const linesOf = (value: string): string[] => (value === '' ? [] : value.replace(/\n$/, '').split('\n'))

/** Of unchanged lines, only those beside a change are shown. */
function around(lines: readonly string[], head: boolean, tail: boolean): string[] {
  if (lines.length <= CONTEXT * 2) return [...lines]
  return [...(head ? lines.slice(0, CONTEXT) : []), '…', ...(tail ? lines.slice(-CONTEXT) : [])]
}
