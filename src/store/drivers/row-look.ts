import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../tables.ts'
import { type ColumnInfo, soundness } from './sound.ts'

/** Looks over every result of PostgreSQL, once the tables are there and known. */
export function rowLook() {
  let known: ReadonlyMap<string, ColumnInfo> = new Map()
  return {
    over(result: pg.QueryResult): pg.QueryResult {
      if (known.size === 0 || result.rows.length === 0) return result
      const columns = result.fields.map(({ name, tableID, columnID }) => ({
        name,
        from: known.get(`${tableID}.${columnID}`),
      }))
      result.rows.forEach(soundness(columns))
      return result
    },
    async learn(db: Db): Promise<void> {
      known = new Map((await declared(db)).map(({ at, ...column }) => [at, column]))
    },
  }
}

async function declared(db: Db): Promise<(ColumnInfo & { at: string })[]> {
  const { rows } = await sql<ColumnInfo & { at: string }>`
    select a.attrelid || '.' || a.attnum as at, c.relname::text as "table", a.attname::text as name,
      format_type(a.atttypid, null) in ('bigint', 'double precision') as "isNumber",
      not a.attnotnull as optional, coalesce(a.attnum = any(i.indkey), false) as "isKey"
    from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped
      and format_type(a.atttypid, null) in ('bigint', 'double precision', 'text')`.execute(db)
  return rows
}
