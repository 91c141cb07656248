import { PostgresAdapter } from 'kysely'
import type { Db } from '../tables.ts'

/** For queries that the two databases spell differently; nothing above `store` has to know. */
export const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter
