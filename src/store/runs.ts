import { sql } from 'kysely'
import type { RunId } from '../contract/ids.ts'
import { type NodeStatus, type Run, RunLimits, type RunStatus } from '../contract/runs.ts'
import { iso } from '../lib/clock.ts'
import { isPostgres } from './drivers/dialect.ts'
import { prepared } from './drivers/prepared.ts'
import { readJson } from './drivers/unreadable.ts'
import type { RunRow } from './run-tables.ts'
import { handleOf } from './sessions.ts'
import type { Db } from './tables.ts'

export async function insertRun(db: Db, row: RunRow): Promise<void> {
  await db.insertInto('runs').values(row).execute()
}

export async function findRun(db: Db, id: RunId): Promise<RunRow | undefined> {
  return (await selectById(db, id))[0]
}

const selectById = prepared((db, id: RunId) => db.selectFrom('runs').selectAll().where('id', '=', id))

const over: ReadonlySet<RunStatus> = new Set(['finished', 'failed', 'stopped'])

/** Whether something may still be started in it, now or once it goes on. */
export const isOpenRun = ({ status }: Pick<RunRow, 'status'>): boolean => !over.has(status)

/** The open run of which a session is a member. */
export async function openRunOf(db: Db, { run_id }: { readonly run_id: RunId | null }): Promise<RunRow | undefined> {
  const run = run_id === null ? undefined : await findRun(db, run_id)
  return run !== undefined && isOpenRun(run) ? run : undefined
}

/** Makes whoever else changes the run's board wait until this transaction ends. Who holds it locks no session. */
export async function lockRun(db: Db, id: RunId): Promise<RunRow | undefined> {
  const row = db.selectFrom('runs').selectAll().where('id', '=', id)
  return (isPostgres(db) ? row.forNoKeyUpdate() : row).executeTakeFirst()
}

export async function findRunByClient(db: Db, projectId: string, clientId: string): Promise<RunRow | undefined> {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

export async function updateRun(db: Db, id: RunId, change: Partial<RunRow>): Promise<void> {
  await db.updateTable('runs').set(change).where('id', '=', id).execute()
}

export interface RunQuery {
  readonly project: string | '*'
  readonly status?: RunStatus | undefined
  readonly limit: number
  /** `createdAt.id` of the last one seen. */
  readonly cursor?: string | undefined
}

/** The newest first. */
export async function selectRuns(db: Db, query: RunQuery): Promise<RunRow[]> {
  let rows = db.selectFrom('runs').selectAll()
  if (query.project !== '*') rows = rows.where('project_id', '=', query.project)
  if (query.status !== undefined) rows = rows.where('status', '=', query.status)
  if (query.cursor !== undefined) {
    const [at = '0', id = ''] = query.cursor.split('.')
    rows = rows.where(sql<boolean>`(created_at, id) < (${Number(at)}, ${id})`)
  }
  return rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(query.limit).execute()
}

/** What the run allows itself; a limit that cannot be read is as if it had not been given. */
export const limitsOfRun = ({ id, limits }: Pick<RunRow, 'id' | 'limits'>): RunLimits =>
  readJson({ table: 'runs', key: id, column: 'limits' }, limits, (value) => RunLimits.safeParse(value).success, {})

/** A run as people and scripts see it. */
export async function toRun(db: Db, row: RunRow): Promise<Run> {
  const { cost_before, cost_after } = row
  const spent = await spentIn(db, row)
  return {
    id: row.id,
    project: row.project_id,
    goal: row.goal,
    title: row.title,
    agent: row.agent,
    sessionId: row.session_id,
    session: await handleOf(db, row.project_id, row.session_id),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.summary === null ? {} : { summary: row.summary }),
    limits: limitsOfRun(row),
    nodes: await countNodes(db, row.id),
    workers: spent.workers,
    costUsd: (cost_after ?? spent.coordinator) - cost_before + spent.byWorkers,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    ...(row.ended_at === null ? {} : { endedAt: iso(row.ended_at) }),
  }
}

async function spentIn(db: Db, { id, session_id }: RunRow) {
  const coordinator = await db
    .selectFrom('sessions')
    .select('cost_usd')
    .where('id', '=', session_id)
    .executeTakeFirstOrThrow()
  const workers = await db
    .selectFrom('workers')
    .leftJoin('sessions', 'sessions.id', 'workers.session_id')
    .select('sessions.cost_usd')
    .where('workers.run_id', '=', id)
    .execute()
  const byWorkers = workers.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0)
  return { coordinator: coordinator.cost_usd, workers: workers.length, byWorkers }
}

async function countNodes(db: Db, id: RunId): Promise<Partial<Record<NodeStatus, number>>> {
  const rows = await db
    .selectFrom('nodes')
    .select(['status', db.fn.countAll().as('count')])
    .where('run_id', '=', id)
    .groupBy('status')
    .execute()
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
}
