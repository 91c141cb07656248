import { sql } from 'kysely'
import type { SessionId } from '../contract/ids.ts'
import type { Tokens } from '../contract/messages.ts'
import type { Session, SessionStatus } from '../contract/sessions.ts'
import { iso } from '../lib/clock.ts'
import { spentOf } from './cost.ts'
import { isPostgres } from './drivers/dialect.ts'
import { atMost } from './drivers/limit.ts'
import { prepared } from './drivers/prepared.ts'
import { readObject } from './drivers/unreadable.ts'
import type { Db, SessionRow } from './tables.ts'

const HANDLE_LENGTH = 4

export type SessionChange = Partial<SessionRow>

export async function insertSession(db: Db, row: SessionRow): Promise<void> {
  await insertRow(db, row)
}

const insertRow = prepared((db, row: SessionRow) => db.insertInto('sessions').values(row))

export async function findSession(db: Db, id: SessionId): Promise<SessionRow | undefined> {
  return (await selectById(db, id))[0]
}

/** Locks the row until the transaction ends; on SQLite the transaction itself is the lock. */
export async function lockSession(db: Db, id: SessionId): Promise<SessionRow | undefined> {
  const [row] = await (isPostgres(db) ? selectForUpdate : selectById)(db, id)
  return row
}

const selectById = prepared((db, id: SessionId) => db.selectFrom('sessions').selectAll().where('id', '=', id))
/** The lock leaves out the key: rows that refer to this session, such as errands, must not wait for it. */
const selectForUpdate = prepared((db, id: SessionId) =>
  db.selectFrom('sessions').selectAll().where('id', '=', id).forNoKeyUpdate(),
)

export async function findSessionByClient(
  db: Db,
  projectId: string,
  clientId: string,
): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

export async function updateSession(db: Db, id: SessionId, change: SessionChange): Promise<void> {
  await updateById(db, id, change)
}

const updateById = prepared((db, id: SessionId, change: SessionChange) =>
  db.updateTable('sessions').set(change).where('id', '=', id),
)

/** The first statement of everything a turn writes. It locks the row; no row means that the lease is lost. */
export async function fenceSession(db: Db, id: SessionId, fence: number): Promise<SessionRow | undefined> {
  const session = await lockSession(db, id)
  return session?.fence === fence ? session : undefined
}

export interface SessionQuery {
  readonly project: string | '*'
  readonly agent?: string | undefined
  readonly status?: SessionStatus | undefined
  readonly q?: string | undefined
  readonly run?: string | undefined
  /** Only what the person pinned. */
  readonly pinned?: boolean | undefined
  /** Also the ticks that found nothing to do. */
  readonly hidden?: boolean | undefined
  readonly limit: number
  /** `updatedAt.id` of the last one seen. */
  readonly cursor?: string | undefined
}

export async function selectSessions(db: Db, query: SessionQuery): Promise<SessionRow[]> {
  let rows = db.selectFrom('sessions').selectAll().where('deleted_at', 'is', null)
  if (query.project !== '*') rows = rows.where('project_id', '=', query.project)
  if (!query.hidden) rows = rows.where('hidden', '=', 0)
  if (query.agent !== undefined) rows = rows.where('agent', '=', query.agent)
  if (query.status !== undefined) rows = rows.where('status', '=', query.status)
  if (query.pinned) rows = rows.where('pinned_at', 'is not', null)
  if (query.run !== undefined) rows = rows.where('run_id', '=', query.run)
  if (query.q !== undefined) {
    const like = `%${query.q.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
    rows = rows.where(
      sql<boolean>`(lower(title) like ${like} escape '\\' or lower(last_snippet) like ${like} escape '\\')`,
    )
  }
  if (query.cursor !== undefined) {
    const [at = '0', id = ''] = query.cursor.split('.')
    rows = rows.where(sql<boolean>`(updated_at, id) < (${Number(at)}, ${id})`)
  }
  return rows.orderBy('updated_at', 'desc').orderBy('id', 'desc').limit(query.limit).execute()
}

/** Finds deleted sessions too: a handle that was shown once never comes to mean another session. */
export async function sessionsByPrefix(db: Db, project: string, prefix: string, limit: number): Promise<SessionRow[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('project_id', '=', project)
    .where('id', '>=', prefix)
    .where('id', '<', `${prefix}g`)
    .orderBy('id')
    .limit(atMost(limit))
    .execute()
  // A database may sort by the rules of a language that ignores dashes.
  return rows.filter(({ id }) => id.startsWith(prefix))
}

/** A conversation that coordinates an open run is not where others begin to talk. */
const outsideOpenRuns = sql<boolean>`not exists (select 1 from runs where runs.id = sessions.run_id and runs.ended_at is null)`

/** Of the sessions of one replay, by the session with which it began; else of those that replay nothing. */
export async function latestSession(
  db: Db,
  project: string,
  agent: string,
  replay?: SessionId,
): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where((is) =>
      replay === undefined
        ? is.or([is('model', 'is', null), is('model', 'not like', 'replay/%')])
        : is.or([is('id', '=', replay), is('model', 'like', `replay/%#${replay}/%`)]),
    )
    .where('project_id', '=', project)
    .where('agent', '=', agent)
    .where('mode', '=', 'chat')
    .where('deleted_at', 'is', null)
    .where(outsideOpenRuns)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(atMost(1))
    .executeTakeFirst()
}

/** The mode of each of these sessions. */
export async function sessionModes(db: Db, ids: readonly SessionId[]): Promise<Map<SessionId, SessionRow['mode']>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'mode'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, mode }) => [id, mode]))
}

export async function childSessions(db: Db, parent: SessionId): Promise<SessionRow[]> {
  return selectChildren(db, parent)
}

const selectChildren = prepared((db, parent: SessionId) =>
  db.selectFrom('sessions').selectAll().where('parent_session_id', '=', parent).where('deleted_at', 'is', null),
)

/** The shortest prefix, four or more, that no neighbour in id order shares. */
export async function handleOf(db: Db, project: string, id: SessionId): Promise<string> {
  const [beside] = await selectBeside(db, project, id)
  return handleBetween(id, beside?.before ?? null, beside?.after ?? null)
}

/** The handle of a session whose neighbours are known. */
export function handleBetween(id: SessionId, before: SessionId | null, after: SessionId | null): string {
  const shared = Math.max(sharedPrefix(id, before ?? ''), sharedPrefix(id, after ?? ''))
  return id.slice(0, Math.max(HANDLE_LENGTH, shared + 1))
}

const selectBeside = prepared((db, project: string, id: SessionId) => {
  const others = db.selectFrom('sessions').select('id').where('project_id', '=', project).limit(atMost(1))
  return db.selectNoFrom([
    others.where('id', '<', id).orderBy('id', 'desc').as('before'),
    others.where('id', '>', id).orderBy('id').as('after'),
  ])
})

function sharedPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

export async function toSession(db: Db, row: SessionRow): Promise<Session> {
  const time = (ms: number | null, name: string) => (ms === null ? {} : { [name]: iso(ms) })
  return {
    id: row.id,
    handle: await handleOf(db, row.project_id, row.id),
    agent: row.agent,
    mode: row.mode,
    project: row.project_id,
    ...(row.parent_session_id === null ? {} : { parentSessionId: row.parent_session_id }),
    ...(row.task_id === null ? {} : { taskId: row.task_id }),
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    ...(row.worker === null ? {} : { worker: row.worker }),
    ...(row.came_from === null ? {} : { cameFrom: row.came_from }),
    title: row.title,
    ...time(row.pinned_at, 'pinnedAt'),
    attributes: readObject({ table: 'sessions', key: row.id, column: 'attributes' }, row.attributes),
    ...(row.model === null ? {} : { model: row.model }),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    workspace: row.workspace,
    ...(row.unattended === null ? {} : { unattended: row.unattended }),
    ...(row.questions === null ? {} : { questions: row.questions }),
    messageCount: row.message_count,
    tokens: tokensOf(row),
    ...spentOf(row),
    compactionCount: row.compaction_count,
    autoWakeBudget: Math.max(0, row.auto_wake_budget - row.wakes_spent),
    lastSnippet: row.last_snippet,
    readSeq: row.read_seq,
    ...(row.hidden === 1 ? { hidden: true } : {}),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    ...time(row.closed_at, 'closedAt'),
    ...time(row.deleted_at, 'deletedAt'),
  }
}

export const tokensOf = (row: {
  tokens_input: number | null
  tokens_output: number | null
  tokens_cached: number | null
  tokens_reasoning: number | null
}): Tokens => ({
  input: row.tokens_input ?? 0,
  output: row.tokens_output ?? 0,
  cached: row.tokens_cached ?? 0,
  reasoning: row.tokens_reasoning ?? 0,
})
