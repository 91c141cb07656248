import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { WordTable } from '../words.ts'
import { type ColumnInfo, type ReadRow, soundness } from './sound.ts'

export interface Statement {
  readonly reader: boolean
  all(parameters: readonly unknown[]): ReadRow[]
  run(parameters: readonly unknown[]): ReturnType<StatementSync['run']>
  iterate(): never
}

type Values = Parameters<StatementSync['all']>
type Row = readonly unknown[]

/** Prepares statements of one connection whose rows hold only what their columns may hold. */
export function statementsOf(connection: DatabaseSync, words: WordTable): (sql: string) => Statement {
  const known = new Map<string, readonly ColumnInfo[]>()
  const columnsOf = (table: string): readonly ColumnInfo[] => {
    const columns = known.get(table) ?? declared(connection, table)
    known.set(table, columns)
    return columns
  }

  return (sql) => {
    const prepared = connection.prepare(sql)
    const reader = prepared.columns().length > 0
    if (reader) prepared.setReturnArrays(true)
    const rowsOf = onlyReads.test(sql) ? readRows : writtenRows
    let names: string[] = []
    let blank: ReadRow = {}
    let { isSound, replace } = soundness([], words)
    const learn = (): void => {
      const columns = prepared.columns()
      names = columns.map(({ name }) => name)
      blank = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as ReadRow
      ;({ isSound, replace } = soundness(
        columns.map(({ table, column }) =>
          table === null ? undefined : columnsOf(table).find(({ name }) => name === column),
        ),
        words,
      ))
    }
    // A row that grows field by field is slow to make and to copy; a copy of a blank row has its shape at once.
    const toRow = (values: Row): ReadRow => {
      if (names.length !== values.length) learn()
      const row = { ...blank }
      for (let at = 0; at < names.length; at++) {
        const value = values[at]
        // Nothing is what the blank row holds, and it is sound.
        if (value === null) continue
        row[names[at] as string] = isSound(at, value) ? value : replace(at, (key) => values[key])
      }
      return row
    }
    return {
      reader,
      all: (parameters) => rowsOf(prepared, parameters as Values).map(toRow),
      run: (parameters) => prepared.run(...(parameters as Values)),
      iterate() {
        throw new Error('What is long is read by page instead of by stream.')
      },
    }
  }
}

const onlyReads = /^\s*(select|with|pragma)\b/i

/** One number that is too large would fail the whole statement; it is then read again with numbers of any size. */
function readRows(prepared: StatementSync, parameters: Values): Row[] {
  try {
    return prepared.all(...parameters) as unknown as Row[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_OUT_OF_RANGE') throw error
    return writtenRows(prepared, parameters)
  }
}

/** What a write returns is read with numbers of any size at once: it cannot be done a second time. */
function writtenRows(prepared: StatementSync, parameters: Values): Row[] {
  prepared.setReadBigInts(true)
  try {
    const rows = prepared.all(...parameters) as unknown as Row[]
    return rows.map((row) => row.map((value) => (typeof value === 'bigint' ? Number(value) : value)))
  } finally {
    prepared.setReadBigInts(false)
  }
}

function declared(connection: DatabaseSync, table: string): ColumnInfo[] {
  // A column without a type, as SQLite's own tables have them, may hold anything.
  const query = `select name, lower(type) as type, "notnull", pk from pragma_table_info(?) where type <> ''`
  const rows = connection.prepare(query).all(table)
  return rows.map(({ name, type, notnull, pk }) => ({
    table,
    name: String(name),
    isNumber: type !== 'text',
    optional: notnull === 0 && pk === 0,
    isKey: pk !== 0,
  }))
}
