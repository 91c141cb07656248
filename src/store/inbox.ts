import { sql } from 'kysely'
import type { InboxId, SessionId } from '../contract/ids.ts'
import { type InboxItem, type InboxKind, type InboxStatus, Lineage } from '../contract/inbox.ts'
import { iso } from '../lib/clock.ts'
import { isPostgres } from './drivers/dialect.ts'
import { readJson } from './drivers/unreadable.ts'
import { fromOf } from './messages.ts'
import type { Db, InboxRow } from './tables.ts'

/** Word for word the condition of the index `inbox_session`, so that SQLite uses it. */
const open = sql<boolean>`status = 'open'`

/** False when there is an item with this id, or an open one of this group, already; it stays as it is. */
export async function insertInbox(db: Db, row: InboxRow): Promise<boolean> {
  const added = db
    .insertInto('inbox')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
  return (await added.executeTakeFirst()).numInsertedOrUpdatedRows === 1n
}

export async function findInbox(db: Db, id: InboxId): Promise<InboxRow | undefined> {
  return db.selectFrom('inbox').selectAll().where('id', '=', id).executeTakeFirst()
}

/** How many messages of agents to the person are still open. */
export async function countOpenMessages(db: Db, project: string): Promise<number> {
  const row = await db
    .selectFrom('inbox')
    .select(db.fn.countAll().as('count'))
    .where(open)
    .where('project_id', '=', project)
    .where('kind', '=', 'message')
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function findGrouped(db: Db, project: string, group: string): Promise<InboxRow | undefined> {
  return db
    .selectFrom('inbox')
    .selectAll()
    .where('project_id', '=', project)
    .where('grouped', '=', group)
    .where(open)
    .executeTakeFirst()
}

/** Tells the same once more with an open notice of its group, and of whom it is told now; undefined when there is none. */
export async function repeatInbox(
  db: Db,
  {
    project_id,
    grouped,
    session_id,
    from_agent,
    title,
    body,
    about,
    created_at,
  }: InboxRow & {
    readonly grouped: string
  },
): Promise<{ id: InboxId; times: number } | undefined> {
  const row = await db
    .updateTable('inbox')
    .set({ session_id, from_agent, title, body, about, times: sql<number>`times + 1`, latest_at: created_at })
    .where('project_id', '=', project_id)
    .where('grouped', '=', grouped)
    .where(open)
    .returning(['id', 'times'])
    .executeTakeFirst()
  return row && { id: row.id, times: Number(row.times) }
}

/** Ids are letters, digits and signs below this one. */
const LAST = '~'

export interface InboxQuery {
  readonly project: string | '*'
  readonly status?: InboxStatus | undefined
  readonly kind?: InboxKind | undefined
  readonly agent?: string | undefined
  /** The beginning of an id. */
  readonly id?: string | undefined
  readonly limit: number
  /** `createdAt.id` of the last one seen. */
  readonly cursor?: string | undefined
}

export async function selectInbox(db: Db, query: InboxQuery): Promise<InboxRow[]> {
  let rows = db.selectFrom('inbox').selectAll()
  // The beginning of an id leaves fewer than all the rest: no index of another column is to be chosen then.
  const of = (column: 'project_id' | 'status' | 'kind' | 'from_agent') =>
    query.id === undefined ? sql.ref(column) : sql`${sql.ref(column)} || ''`
  if (query.project !== '*') rows = rows.where(of('project_id'), '=', query.project)
  if (query.status !== undefined) rows = rows.where(of('status'), '=', query.status)
  if (query.kind !== undefined) rows = rows.where(of('kind'), '=', query.kind)
  if (query.agent !== undefined) rows = rows.where(of('from_agent'), '=', query.agent)
  if (query.id !== undefined) {
    // By bytes: the order of a language may put signs after letters, or leave them out.
    const bytes = sql.raw(isPostgres(db) ? 'id collate "C"' : 'id')
    rows = rows.where(sql<boolean>`${bytes} >= ${query.id} and ${bytes} < ${`${query.id}${LAST}`}`)
  }
  if (query.cursor !== undefined) {
    const [at = '0', id = ''] = query.cursor.split('.')
    // By itself, so that an index is entered where the page begins.
    rows = rows
      .where('created_at', '<=', Number(at))
      .where((or) =>
        or.or([or('created_at', '<', Number(at)), or.and([or('created_at', '=', Number(at)), or('id', '<', id)])]),
      )
  }
  return rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(query.limit).execute()
}

/** Compare-and-set: only an open item changes, and only once. */
export async function settleInbox(
  db: Db,
  id: InboxId,
  status: Exclude<InboxStatus, 'open'>,
  change: { answer: unknown; by: string; at: number },
): Promise<boolean> {
  const row = await db
    .updateTable('inbox')
    .set({ status, answer: JSON.stringify(change.answer), answered_by: change.by, answered_at: change.at })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The same call again finds what it answered. */
export async function wasAnsweredBy(db: Db, sessionId: SessionId, by: string): Promise<boolean> {
  const found = db.selectFrom('inbox').select('id').where('session_id', '=', sessionId).where('answered_by', '=', by)
  return (await found.executeTakeFirst()) !== undefined
}

export async function openInboxOf(db: Db, sessionId: SessionId): Promise<InboxRow[]> {
  return db.selectFrom('inbox').selectAll().where('session_id', '=', sessionId).where(open).execute()
}

export function toInboxItem(
  row: InboxRow,
  { lineage, waits }: { readonly lineage: readonly Lineage[]; readonly waits: InboxItem['waits'] },
): InboxItem {
  const handle = lineage.find(({ id }) => id === row.session_id)?.handle
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    project: row.project_id,
    title: row.times > 1 ? `${row.title} (${row.times} of the kind)` : row.title,
    body: row.body,
    ...field(row, 'options'),
    from: { ...fromOf(row), ...(handle === undefined ? {} : { handle, sessionId: row.session_id! }) },
    lineage: [...lineage],
    ...(row.action === null ? {} : { action: row.action }),
    waits,
    ...(row.times > 1 ? { times: row.times } : {}),
    ...(row.latest_at === null ? {} : { latestAt: iso(row.latest_at) }),
    ...field(row, 'answer'),
    createdAt: iso(row.created_at),
    ...(row.answered_at === null ? {} : { answeredAt: iso(row.answered_at) }),
  }
}

export const inboxOptions = (row: InboxRow): readonly string[] => field(row, 'options').options ?? []

/** What the item is about besides its session. */
export const subjectOf = (row: InboxRow): Lineage | undefined =>
  row.about === null
    ? undefined
    : readJson<Lineage | undefined>({ table: 'inbox', key: row.id, column: 'about' }, row.about, isStep, undefined)

const isStep = (value: unknown): boolean => Lineage.safeParse(value).success

function field(row: InboxRow, column: 'options' | 'answer'): Partial<InboxItem> {
  const json = row[column]
  if (json === null) return {}
  const fits = column === 'options' ? areTexts : () => true
  const value = readJson<unknown>({ table: 'inbox', key: row.id, column }, json, fits, undefined)
  return value === undefined ? {} : { [column]: value }
}

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === 'string')
