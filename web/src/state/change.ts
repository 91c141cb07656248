import { diffLines } from 'diff'

export interface Change {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly lines: readonly { readonly sign: '+' | '-' | ' '; readonly text: string }[]
}

/** Comparing is quadratic at worst, so longer texts are shown as all removed and all added. */
const COMPARED = 20_000
const CONTEXT = 3

/** What a call changes in a file; undefined when its tool changes none. */
export function changeOf(name: string, input: unknown): Change | undefined {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  const path = String(fields.path ?? '')
  if (name === 'edit_file') return compare(path, text(fields.old_string), text(fields.new_string))
  // The call does not hold what the file had before.
  if (name === 'write_file') return compare(path, '', text(fields.content))
  return undefined
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function compare(path: string, before: string, after: string): Change {
  const long = before.length + after.length > COMPARED
  const parts = long
    ? [
        { value: before, removed: true, added: false },
        { value: after, added: true, removed: false },
      ]
    : diffLines(endsInLine(before), endsInLine(after))
  const lines = parts.flatMap(({ value, added, removed }, at) => {
    const own = linesOf(value)
    const sign = added ? '+' : removed ? '-' : ' '
    const shown = sign === ' ' ? around(own, at > 0, at < parts.length - 1) : own
    return shown.map((line) => ({ sign, text: line }) as const)
  })
  const count = (sign: string): number => lines.filter((line) => line.sign === sign).length
  return { path, added: count('+'), removed: count('-'), lines }
}

const endsInLine = (value: string): string => (value === '' || value.endsWith('\n') ? value : `${value}\n`)
const linesOf = (value: string): string[] => (value === '' ? [] : value.replace(/\n$/, '').split('\n'))

/** Of unchanged lines, only those beside a change are shown. */
function around(lines: readonly string[], head: boolean, tail: boolean): string[] {
  if (lines.length <= CONTEXT * 2) return [...lines]
  return [...(head ? lines.slice(0, CONTEXT) : []), '…', ...(tail ? lines.slice(-CONTEXT) : [])]
}
