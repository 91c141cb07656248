import { sql } from 'kysely'
import type { SessionId } from '../contract/ids.ts'
import { isPostgres } from './drivers/dialect.ts'
import { atMost } from './drivers/limit.ts'
import { prepared } from './drivers/prepared.ts'
import type { Db, PresenceRow } from './tables.ts'

const NOBODY_SAID: PresenceRow = { id: 'person', away_since: null, away_until: null, paused_since: null }

export async function findPresence(db: Db): Promise<PresenceRow> {
  return (await selectPresence(db, 'person'))[0] ?? NOBODY_SAID
}

/** The same, which nobody changes before this transaction is over. */
export async function holdPresence(db: Db): Promise<PresenceRow> {
  const row = db.selectFrom('presence').selectAll().where('id', '=', 'person')
  return (await (isPostgres(db) ? row.forShare() : row).executeTakeFirst()) ?? NOBODY_SAID
}

const selectPresence = prepared((db, id: string) => db.selectFrom('presence').selectAll().where('id', '=', id))

export async function putPresence(db: Db, change: Partial<Omit<PresenceRow, 'id'>>): Promise<void> {
  await db
    .insertInto('presence')
    .values({ ...NOBODY_SAID, ...change })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
    .execute()
}

/** Sessions that a runner has and that were not told to pause with everything yet. */
export async function runningSessions(db: Db, limit: number): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where((or) => or.or([or('status', '=', 'running'), or('lease_owner', 'is not', null)]))
    .where('deleted_at', 'is', null)
    .where('paused_with', 'is', null)
    .where((or) => or.or([or('signal', 'is', null), or('signal', 'in', ['resume', 'interrupt'])]))
    .limit(atMost(limit))
    .execute()
  return rows.map(({ id }) => id)
}

export async function pausedWithAll(db: Db, limit: number): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('paused_with', '=', 'all')
    .limit(atMost(limit))
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * All that were made by a session, by those it made, and so on, and that are not done. Those without a turn come first: when
 * they are stopped in this order, none of them takes a slot that becomes free; the deepest before those that would close them.
 */
export async function sessionsBelow(db: Db, top: SessionId, limit: number): Promise<SessionId[]> {
  const rows = await sql<{ id: SessionId }>`with recursive below (id, depth) as (
      select id, 1 from sessions where parent_session_id = ${top}
      union select sessions.id, below.depth + 1 from sessions join below on sessions.parent_session_id = below.id
        where below.depth < 32)
    select below.id from below join sessions on sessions.id = below.id
      where sessions.deleted_at is null
        and (sessions.turn_id is not null or sessions.wanted_at is not null or sessions.lease_owner is not null
          or exists (select 1 from tasks where tasks.id = sessions.task_id
            and tasks.status in ('pending', 'processing', 'waiting')))
      order by case when sessions.turn_id is null then 0 else 1 end, below.depth desc
      limit ${atMost(limit)}`.execute(db)
  return rows.rows.map(({ id }) => id)
}
