import { sql } from 'kysely'
import type { Db, HostRow } from './tables.ts'

/** Writes that the host is there. */
export async function putHost(db: Db, row: HostRow): Promise<void> {
  await db
    .insertInto('hosts')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ name: row.name, seen_at: row.seen_at }))
    .execute()
}

export async function findHost(db: Db, id: string): Promise<HostRow | undefined> {
  return db.selectFrom('hosts').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Forgets hosts that were last seen before this moment. */
export async function removeHosts(db: Db, before: number): Promise<void> {
  await db.deleteFrom('hosts').where('seen_at', '<', before).execute()
}

/** Sessions that this host can run: its own, those that move, and those of which nobody knows where they were made. */
export const runsOn = (host: string) =>
  sql<boolean>`(sessions.host is null or sessions.host = ${host} or sessions.moves = 1)`
