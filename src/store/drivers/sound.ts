import { type KnownWords, wordsOf } from '../words.ts'
import { reportUnreadable } from './unreadable.ts'

/** A column as the database's own schema declares it. */
export interface ColumnInfo {
  readonly table: string
  readonly name: string
  readonly isNumber: boolean
  readonly optional: boolean
  /** It is part of the key of its row. */
  readonly isKey: boolean
}

export type ReadRow = Record<string, unknown>

/** A column of a result: under which name, and from which stored column, if it is one as it is. */
interface ResultColumn {
  readonly name: string
  readonly from: ColumnInfo | undefined
}

/** No date lies beyond it, and every number below it is exact. */
export const LARGEST = 8.64e15

/**
 * Looks through the rows of a result. A value that its column cannot mean is reported, and another stands in for it, so
 * that one bad value stops neither its row nor the rest. JSON is looked at by who reads it (`readJson`).
 */
export function soundness(columns: readonly ResultColumn[]): (row: ReadRow) => ReadRow {
  const checks = columns.flatMap(({ name, from }) => (from === undefined ? [] : [checkOf(name, from)]))
  return (row) => {
    for (const { name, isSound, standIn, from } of checks) {
      const value = row[name]
      // Where nothing may be missing the database sees to it; a row that an outer join did not find has nulls.
      if (value === null || isSound(value)) continue
      reportUnreadable({ table: from.table, key: keyIn(row, from.table, columns), column: from.name })
      row[name] = standIn()
    }
    return row
  }
}

function checkOf(name: string, from: ColumnInfo) {
  const words = wordsOf(from.table, from.name)
  const isSound = words === undefined ? (from.isNumber ? isNumber : isText) : isOneOf(words)
  const standIn = () => (words === undefined ? valueless(from) : words.standIn)
  return { name, from, standIn, isSound }
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && value <= LARGEST && value >= -LARGEST
const isText = (value: unknown): boolean => typeof value === 'string'
const isOneOf =
  ({ known }: KnownWords) =>
  (value: unknown): boolean =>
    typeof value === 'string' && known.includes(value)

function valueless({ table, name, isNumber, optional }: ColumnInfo): number | string | null {
  // The next message must not take the place of another: seconds are beyond every place that was ever counted.
  if (table === 'sessions' && name === 'next_seq') return Math.floor(Date.now() / 1000)
  if (optional) return null
  return isNumber ? 0 : ''
}

function keyIn(row: ReadRow, table: string, columns: readonly ResultColumn[]): string {
  const keys = columns.filter(({ from }) => from?.table === table && from.isKey)
  return keys.map(({ name }) => String(row[name])).join(' ') || 'unknown'
}
