import { sql } from 'kysely'
import type { Db } from '../tables.ts'

/** An answer that took longer says too little about the moment it is about. */
const EXACT_MS = 100
const STALE_MS = 60_000

/** The database's clock: hosts whose own clocks differ agree by it when a timer is due. */
export function databaseClock(local: () => number) {
  let ahead = 0
  let exactAt = Number.NEGATIVE_INFINITY
  return {
    now: () => Math.round(local() + ahead),
    async ask(db: Db): Promise<number> {
      const asked = local()
      const query = sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`
      const { now } = (await query.execute(db)).rows[0]!
      const took = local() - asked
      if (took < EXACT_MS || performance.now() - exactAt > STALE_MS) {
        ahead = now - asked - took / 2
        exactAt = performance.now()
      }
      return now
    },
  }
}
