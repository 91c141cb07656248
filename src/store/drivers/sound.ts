import type { WordTable } from '../words.ts'
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

/** No date lies beyond it, and every number below it is exact. */
export const LARGEST = 8.64e15

/**
 * Looks at the values of a result. One that its column cannot mean is reported, and another stands in for it, so that one
 * bad value stops neither its row nor the rest. JSON is looked at by who reads it (`readJson`).
 */
interface Soundness {
  /** It is asked for every value that is read, so it does as little as it can. */
  isSound(at: number, value: unknown): boolean
  /** Reports the value of the column, and gives what stands in for it. */
  replace(at: number, read: (at: number) => unknown): number | string | null
}

/** Of each column of a result it is given the stored column that it is as it is, if it is one. */
export function soundness(columns: readonly (ColumnInfo | undefined)[], known: WordTable): Soundness {
  const types = columns.map((column) => column && (column.isNumber ? 'number' : 'string'))
  const words = columns.map((column) => column && known[column.table]?.[column.name])
  return {
    isSound(at, value) {
      const type = types[at]
      // Where nothing may be missing the database sees to it; a row that an outer join did not find has nulls.
      if (value === null || type === undefined) return true
      if (typeof value === 'number') return type === 'number' && value <= LARGEST && value >= -LARGEST
      return typeof value === type && (words[at]?.known.includes(value as string) ?? true)
    },
    replace(at, read) {
      const column = columns[at]
      if (column === undefined) throw new Error('A value that no column stores is always sound.')
      const keys = columns.flatMap((other, key) => (other?.table === column.table && other.isKey ? [key] : []))
      const key = keys.map((each) => String(read(each))).join(' ') || 'unknown'
      reportUnreadable({ table: column.table, key, column: column.name })
      return words[at] === undefined ? valueless(column) : words[at].standIn
    },
  }
}

function valueless({ table, name, isNumber, optional }: ColumnInfo): number | string | null {
  // The next message must not take the place of another: seconds are beyond every place that was ever counted.
  if (table === 'sessions' && name === 'next_seq') return Math.floor(Date.now() / 1000)
  if (optional) return null
  return isNumber ? 0 : ''
}
