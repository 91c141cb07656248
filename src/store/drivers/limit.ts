import { type RawBuilder, sql } from 'kysely'

/** A limit as a literal: SQLite plans a statement with a bound limit anew at every execution, which costs more than most of them. */
export const atMost = (rows: number): RawBuilder<number> => sql.lit(Math.max(0, Math.trunc(rows)))
