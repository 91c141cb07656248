import type { SessionId, TriggerId } from '../contract/ids.ts'
import type { TriggerFire } from '../contract/triggers.ts'
import { iso } from '../lib/clock.ts'
import { readObject } from './drivers/unreadable.ts'
import type { Db, FireRow } from './tables.ts'

/** False when the occurrence has its outcome already. */
export async function insertFire(db: Db, row: FireRow): Promise<boolean> {
  const added = db
    .insertInto('trigger_fires')
    .values(row)
    .onConflict((conflict) => conflict.columns(['trigger_id', 'occasion']).doNothing())
  return (await added.executeTakeFirst()).numInsertedOrUpdatedRows === 1n
}

export async function findFire(db: Db, id: string): Promise<FireRow | undefined> {
  return db.selectFrom('trigger_fires').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findFireByOccasion(db: Db, id: TriggerId, occasion: string): Promise<FireRow | undefined> {
  return db
    .selectFrom('trigger_fires')
    .selectAll()
    .where('trigger_id', '=', id)
    .where('occasion', '=', occasion)
    .executeTakeFirst()
}

export async function updateFire(db: Db, id: string, change: Partial<FireRow>): Promise<void> {
  await db.updateTable('trigger_fires').set(change).where('id', '=', id).execute()
}

interface FireQuery {
  readonly trigger: TriggerId
  readonly limit: number
  /** `dueAt.id` of the last one seen. */
  readonly cursor?: string | undefined
}

/** The newest first. */
export async function selectFires(db: Db, { trigger, limit, cursor }: FireQuery): Promise<FireRow[]> {
  let rows = db.selectFrom('trigger_fires').selectAll().where('trigger_id', '=', trigger)
  if (cursor !== undefined) {
    const [at = '0', id = ''] = cursor.split('.')
    rows = rows.where((or) =>
      or.or([or('at', '<', Number(at)), or.and([or('at', '=', Number(at)), or('id', '<', id)])]),
    )
  }
  return rows.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/** The newest that began a session. */
export async function latestFireWithSession(db: Db, trigger: TriggerId): Promise<FireRow | undefined> {
  return db
    .selectFrom('trigger_fires')
    .selectAll()
    .where('trigger_id', '=', trigger)
    .where('session_id', 'is not', null)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The occurrence that began this session. */
export async function sessionFire(db: Db, sessionId: SessionId): Promise<FireRow | undefined> {
  return db.selectFrom('trigger_fires').selectAll().where('session_id', '=', sessionId).executeTakeFirst()
}

/** Forgets all but the newest outcomes of a trigger. What a due time or a cursor has passed does not come again. */
export async function trimFires(db: Db, trigger: TriggerId, kept: number): Promise<void> {
  const oldest = await db
    .selectFrom('trigger_fires')
    .select('at')
    .where('trigger_id', '=', trigger)
    .orderBy('at', 'desc')
    .offset(kept)
    .limit(1)
    .executeTakeFirst()
  if (oldest === undefined) return
  await db
    .deleteFrom('trigger_fires')
    .where('trigger_id', '=', trigger)
    .where('at', '<', oldest.at)
    .where((or) => or.or([or('delivery', 'is', null), or('delivery', '<>', 'pending')]))
    .execute()
}

/** Those of these chains that a trigger began or went on with. */
export async function chainsOfFires(db: Db, chains: readonly string[], trigger?: TriggerId): Promise<string[]> {
  if (chains.length === 0) return []
  let rows = db
    .selectFrom('trigger_fires')
    .select('chain_id')
    .distinct()
    .where('chain_id', 'in', [...chains])
  if (trigger !== undefined) rows = rows.where('trigger_id', '=', trigger)
  return (await rows.execute()).flatMap(({ chain_id }) => chain_id ?? [])
}

export const toFire = (row: FireRow): TriggerFire => ({
  id: row.id,
  triggerId: row.trigger_id,
  dueAt: iso(row.due_at),
  ...(row.since_due === row.due_at ? {} : { since: iso(row.since_due) }),
  covers: row.covers,
  at: iso(row.at),
  outcome: row.outcome,
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.event_seq === null ? {} : { eventSeq: row.event_seq }),
  ...(row.session_id === null ? {} : { sessionId: row.session_id }),
  ...(row.result === null
    ? {}
    : { result: readObject({ table: 'trigger_fires', key: row.id, column: 'result' }, row.result) }),
  ...(row.delivery === null ? {} : { delivery: row.delivery, attempts: row.attempts }),
})
