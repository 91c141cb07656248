import { PostgresAdapter } from 'kysely'
import type { Db } from '../tables.ts'

/** Asked by queries that the two databases want said differently; nothing above `store` has to know. */
export const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter
