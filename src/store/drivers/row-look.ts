import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../tables.ts'
import { wordTable } from '../words.ts'
import { type ColumnInfo, type ReadRow, soundness } from './sound.ts'

/** Looks over every result of PostgreSQL, once the tables are there and known. */
export function rowLook() {
  const known = new Map<number, ColumnInfo[]>()
  return {
    over(result: pg.QueryResult): pg.QueryResult {
      if (known.size === 0 || result.rows.length === 0) return result
      const { isSound, replace } = soundness(
        result.fields.map(({ tableID, columnID }) => known.get(tableID)?.[columnID]),
        wordTable,
      )
      const names = result.fields.map(({ name }) => name)
      for (const row of result.rows as ReadRow[]) {
        for (let at = 0; at < names.length; at++) {
          const name = names[at] as string
          if (!isSound(at, row[name])) row[name] = replace(at, (key) => row[names[key] as string])
        }
      }
      return result
    },
    async learn(db: Db): Promise<void> {
      for (const { tableID, columnID, ...column } of await declared(db)) {
        const columns = known.get(tableID) ?? []
        columns[columnID] = column
        known.set(tableID, columns)
      }
    },
  }
}

interface Declared extends ColumnInfo {
  readonly tableID: number
  readonly columnID: number
}

async function declared(db: Db): Promise<Declared[]> {
  const { rows } = await sql<Declared>`
    select a.attrelid as "tableID", a.attnum as "columnID", c.relname::text as "table", a.attname::text as name,
      format_type(a.atttypid, null) in ('bigint', 'double precision') as "isNumber",
      not a.attnotnull as optional, coalesce(a.attnum = any(i.indkey), false) as "isKey"
    from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped
      and format_type(a.atttypid, null) in ('bigint', 'double precision', 'text')`.execute(db)
  return rows
}
