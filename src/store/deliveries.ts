import { sql } from 'kysely'
import type { InboxId } from '../contract/ids.ts'
import type { InboxKind } from '../contract/inbox.ts'
import { atMost } from './drivers/limit.ts'
import type { Db, DeliveryRow, InboxRow } from './tables.ts'

/** False when the item was sent there before. */
export async function insertDelivery(db: Db, row: DeliveryRow): Promise<boolean> {
  const added = db
    .insertInto('deliveries')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
  return (await added.executeTakeFirst()).numInsertedOrUpdatedRows === 1n
}

export async function findDelivery(db: Db, id: string): Promise<DeliveryRow | undefined> {
  return db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function updateDelivery(db: Db, id: string, change: Partial<DeliveryRow>): Promise<void> {
  await db.updateTable('deliveries').set(change).where('id', '=', id).execute()
}

/** Open items since then of which nobody has decided yet where they go, the oldest first. */
export async function unroutedItems(db: Db, since: number, limit: number): Promise<InboxRow[]> {
  return db
    .selectFrom('inbox')
    .selectAll()
    .where(sql<boolean>`status = 'open'`)
    .where('created_at', '>=', since)
    .where(sql<boolean>`not exists (select 1 from deliveries where deliveries.inbox_id = inbox.id)`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(atMost(limit))
    .execute()
}

/** Of the items of these kinds that a channel was not yet told of, the oldest. */
export async function untoldOf(
  db: Db,
  { id, channel }: Pick<DeliveryRow, 'id' | 'channel'>,
  kinds: readonly InboxKind[],
  limit: number,
): Promise<(Pick<InboxRow, 'kind' | 'title'> & { readonly id: string; readonly inbox_id: InboxId })[]> {
  return db
    .selectFrom('deliveries')
    .innerJoin('inbox', 'inbox.id', 'deliveries.inbox_id')
    .select(['deliveries.id', 'deliveries.inbox_id', 'inbox.kind', 'inbox.title'])
    .where('deliveries.channel', '=', channel)
    .where('deliveries.state', '=', 'pending')
    .where('deliveries.attempts', '=', 0)
    .where('deliveries.id', '<>', id)
    .where('inbox.status', '=', 'open')
    .where('inbox.kind', 'in', kinds)
    .orderBy('deliveries.created_at')
    .orderBy('deliveries.id')
    .limit(atMost(limit))
    .execute()
}

/** How many items of these kinds were given to a channel since then, and how many of all still wait. */
export async function countDeliveries(
  db: Db,
  channel: string,
  since: number,
  kinds: readonly InboxKind[],
): Promise<{ lately: number; pending: number }> {
  const row = await db
    .selectFrom('deliveries')
    .innerJoin('inbox', 'inbox.id', 'deliveries.inbox_id')
    .select([
      sql<number>`coalesce(sum(case when deliveries.created_at >= ${since} then 1 else 0 end), 0)`.as('lately'),
      sql<number>`coalesce(sum(case when deliveries.state = 'pending' then 1 else 0 end), 0)`.as('pending'),
    ])
    .where('deliveries.channel', '=', channel)
    .where((or) => or.or([or('deliveries.created_at', '>=', since), or('deliveries.state', '=', 'pending')]))
    .where('inbox.kind', 'in', kinds)
    .executeTakeFirstOrThrow()
  return { lately: Number(row.lately), pending: Number(row.pending) }
}

/** The link of an item answers once. */
export async function useDelivery(db: Db, id: string, at: number): Promise<boolean> {
  const used = db.updateTable('deliveries').set({ used_at: at, updated_at: at }).where('id', '=', id)
  return (await used.where('used_at', 'is', null).executeTakeFirst()).numUpdatedRows === 1n
}

export async function removeDeliveries(db: Db, before: number): Promise<void> {
  await db.deleteFrom('deliveries').where('created_at', '<', before).where('state', '<>', 'pending').execute()
}
