import { type RawBuilder, sql } from 'kysely'

/** A limit as a literal: SQLite plans a statement with a bound limit anew each time, which costs more than the run. */
export const atMost = (rows: number): RawBuilder<number> => sql.lit(Math.max(0, Math.trunc(rows)))
