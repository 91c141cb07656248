import { sql } from 'kysely'
import type { SessionId, TriggerId } from '../contract/ids.ts'
import { type Trigger, TriggerAction, When } from '../contract/triggers.ts'
import { iso } from '../lib/clock.ts'
import { isPostgres } from './drivers/dialect.ts'
import { readJson, readObject } from './drivers/unreadable.ts'
import type { Db, TriggerRow } from './tables.ts'

/** Word for word the condition of the index `triggers_active`. */
const active = sql<boolean>`status = 'active'`

/** False when the same call, request or daemon has made one already. */
export async function insertTrigger(db: Db, row: TriggerRow): Promise<boolean> {
  const added = db
    .insertInto('triggers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
  return (await added.executeTakeFirst()).numInsertedOrUpdatedRows === 1n
}

export async function findTrigger(db: Db, id: TriggerId): Promise<TriggerRow | undefined> {
  return db.selectFrom('triggers').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks the row until the transaction ends. A session's row, where one is needed too, is locked before it. */
export async function lockTrigger(db: Db, id: TriggerId): Promise<TriggerRow | undefined> {
  const row = db.selectFrom('triggers').selectAll().where('id', '=', id)
  return (isPostgres(db) ? row.forNoKeyUpdate() : row).executeTakeFirst()
}

export async function findTriggerByCall(db: Db, owner: SessionId, callId: string): Promise<TriggerRow | undefined> {
  return db
    .selectFrom('triggers')
    .selectAll()
    .where('owner_session_id', '=', owner)
    .where('call_id', '=', callId)
    .executeTakeFirst()
}

export async function findTriggerByClient(db: Db, project: string, clientId: string): Promise<TriggerRow | undefined> {
  return db
    .selectFrom('triggers')
    .selectAll()
    .where('project_id', '=', project)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

export async function findDaemon(db: Db, project: string, daemon: string): Promise<TriggerRow | undefined> {
  return db
    .selectFrom('triggers')
    .selectAll()
    .where('project_id', '=', project)
    .where('daemon', '=', daemon)
    .executeTakeFirst()
}

export async function updateTrigger(db: Db, id: TriggerId, change: Partial<TriggerRow>): Promise<void> {
  await db.updateTable('triggers').set(change).where('id', '=', id).execute()
}

export async function deleteTriggerRows(db: Db, id: TriggerId): Promise<void> {
  await db.deleteFrom('trigger_fires').where('trigger_id', '=', id).execute()
  await db.deleteFrom('triggers').where('id', '=', id).execute()
}

export interface TriggerQuery {
  readonly project: string | '*'
  readonly owner?: SessionId | undefined
  readonly status?: TriggerRow['status'] | undefined
  /** Only those of daemons. */
  readonly daemons?: boolean
  readonly limit: number
  /** `createdAt.id` of the last one seen. */
  readonly cursor?: string | undefined
}

/** The newest first. */
export async function selectTriggers(db: Db, query: TriggerQuery): Promise<TriggerRow[]> {
  let rows = db.selectFrom('triggers').selectAll()
  if (query.project !== '*') rows = rows.where('project_id', '=', query.project)
  if (query.owner !== undefined) rows = rows.where('owner_session_id', '=', query.owner)
  if (query.status !== undefined) rows = rows.where('status', '=', query.status)
  if (query.daemons) rows = rows.where('daemon', 'is not', null)
  if (query.cursor !== undefined) {
    const [at = '0', id = ''] = query.cursor.split('.')
    rows = rows.where(sql<boolean>`(created_at, id) < (${Number(at)}, ${id})`)
  }
  return rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(query.limit).execute()
}

export async function triggersByPrefix(db: Db, prefix: string, limit: number): Promise<TriggerId[]> {
  const rows = await db
    .selectFrom('triggers')
    .select('id')
    .where('id', '>=', prefix)
    .where('id', '<', `${prefix}g`)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id).filter((id) => id.startsWith(prefix))
}

export async function countTriggersOf(db: Db, owner: SessionId): Promise<number> {
  const row = await db
    .selectFrom('triggers')
    .select(db.fn.countAll().as('count'))
    .where('owner_session_id', '=', owner)
    .where('status', 'in', ['active', 'paused'])
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function countTriggersIn(db: Db, project: string): Promise<number> {
  const row = await db
    .selectFrom('triggers')
    .select(db.fn.countAll().as('count'))
    .where('project_id', '=', project)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Those that wait for events. */
export async function eventTriggers(db: Db, limit: number): Promise<TriggerRow[]> {
  return db
    .selectFrom('triggers')
    .selectAll()
    .where(active)
    .where('type', '=', 'on_event')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Something is to happen by itself: whoever would end the server must not. */
export async function hasActiveTrigger(db: Db): Promise<boolean> {
  return (await db.selectFrom('triggers').select('id').where(active).limit(1).executeTakeFirst()) !== undefined
}

/** Undefined where the row cannot be read. */
export const whenOf = ({ id, type, config }: Pick<TriggerRow, 'id' | 'type' | 'config'>): When | undefined => {
  const read = { type, config: readObject({ table: 'triggers', key: id, column: 'config' }, config) }
  return When.safeParse(read).data
}

export const actionIn = ({ id, action }: Pick<TriggerRow, 'id' | 'action'>): TriggerAction | undefined =>
  readJson<TriggerAction | undefined>(
    { table: 'triggers', key: id, column: 'action' },
    action,
    (value) => TriggerAction.safeParse(value).success,
    undefined,
  )

export const toTrigger = (row: TriggerRow): Trigger => ({
  id: row.id,
  project: row.project_id,
  name: row.name,
  type: row.type,
  config: readObject({ table: 'triggers', key: row.id, column: 'config' }, row.config),
  action: readObject({ table: 'triggers', key: row.id, column: 'action' }, row.action),
  status: row.status,
  ...(row.reason === null ? {} : { reason: row.reason }),
  catchUp: row.catch_up,
  ...(row.max_fires === null ? {} : { maxFires: row.max_fires }),
  fires: row.fires,
  madeBy: row.made_by,
  ...(row.owner_session_id === null ? {} : { ownerSessionId: row.owner_session_id }),
  ...(row.daemon === null ? {} : { daemon: row.daemon }),
  ...(row.next_due === null || row.status !== 'active' ? {} : { nextAt: iso(row.next_due) }),
  ...(row.last_at === null ? {} : { lastAt: iso(row.last_at) }),
  ...(row.last_outcome === null ? {} : { lastOutcome: row.last_outcome }),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
})
