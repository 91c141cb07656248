import { sql } from 'kysely'
import type { Db } from '../tables.ts'

/** What is known is wrong by half the time that its answer took, at most. Below this it is exact enough. */
const EXACT_MS = 100
const STALE_MS = 60_000

/** In a statement of PostgreSQL: what it is now by the database's clock. */
export const DATABASE_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** The database's clock: hosts whose own clocks differ agree by it when a timer is due. */
export function databaseClock(local: () => number) {
  let ahead = 0
  let known = { took: Number.POSITIVE_INFINITY, at: Number.NEGATIVE_INFINITY }
  return {
    now: () => Math.round(local() + ahead),
    async ask(db: Db): Promise<number> {
      const asked = local()
      const query = sql<{ now: number }>`select ${DATABASE_NOW} as now`
      const { now } = (await query.execute(db)).rows[0]!
      const took = local() - asked
      if (took < Math.max(EXACT_MS, known.took) || performance.now() - known.at > STALE_MS) {
        ahead = now - asked - took / 2
        known = { took, at: performance.now() }
      }
      return now
    },
  }
}
