import { sql } from 'kysely'
import { byStatus } from '../contract/fold-board.ts'
import type { InboxId, RunId } from '../contract/ids.ts'
import { type NodeStatus, type Run, RunLimits, type RunStatus, type WorkerStatus } from '../contract/runs.ts'
import { iso } from '../lib/clock.ts'
import { isPostgres } from './drivers/dialect.ts'
import { prepared } from './drivers/prepared.ts'
import { readJson } from './drivers/unreadable.ts'
import { spentIn } from './run-cost.ts'
import type { RunRow } from './run-tables.ts'
import { findSession, handleOf } from './sessions.ts'
import { openStageOf } from './stages.ts'
import type { Db } from './tables.ts'
import { workersOf } from './workers.ts'

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

/** The run that asks this question. */
export async function findRunByInbox(db: Db, inboxId: InboxId): Promise<RunRow | undefined> {
  return db.selectFrom('runs').selectAll().where('inbox_id', '=', inboxId).executeTakeFirst()
}

export async function countPausedRuns(db: Db, project: string | '*'): Promise<number> {
  let rows = db.selectFrom('runs').select(db.fn.countAll().as('count')).where('status', '=', 'paused')
  if (project !== '*') rows = rows.where('project_id', '=', project)
  return Number((await rows.executeTakeFirstOrThrow()).count)
}

export async function updateRun(db: Db, id: RunId, change: Partial<RunRow>): Promise<void> {
  await db.updateTable('runs').set(change).where('id', '=', id).execute()
}

export interface RunQuery {
  readonly project: string | '*'
  readonly status?: RunStatus | undefined
  /** Also those that were put away. */
  readonly archived?: boolean | undefined
  readonly limit: number
  /** `createdAt.id` of the last one seen. */
  readonly cursor?: string | undefined
}

/** The newest first. */
export async function selectRuns(db: Db, query: RunQuery): Promise<RunRow[]> {
  let rows = db.selectFrom('runs').selectAll()
  if (query.project !== '*') rows = rows.where('project_id', '=', query.project)
  if (query.status !== undefined) rows = rows.where('status', '=', query.status)
  if (!query.archived) rows = rows.where('archived_at', 'is', null)
  if (query.cursor !== undefined) {
    const [at = '0', id = ''] = query.cursor.split('.')
    rows = rows.where(sql<boolean>`(created_at, id) < (${Number(at)}, ${id})`)
  }
  return rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(query.limit).execute()
}

/** What the run allows itself; a limit that cannot be read is as if it had not been given. */
export const limitsOfRun = ({ id, limits }: Pick<RunRow, 'id' | 'limits'>): RunLimits =>
  readJson({ table: 'runs', key: id, column: 'limits' }, limits, (value) => RunLimits.safeParse(value).success, {})

/** An infinite run that sleeps until its next cycle. */
export const isWaitingForCycle = ({ mode, nudge_at }: Pick<RunRow, 'mode' | 'nudge_at'>): boolean =>
  mode === 'infinite' && nudge_at !== null

/** A run as people and scripts see it. */
export async function toRun(db: Db, row: RunRow): Promise<Run> {
  const spent = await spentIn(db, row)
  const model = (await findSession(db, row.session_id))?.model ?? undefined
  const stage = await openStageOf(db, row.id)
  return {
    id: row.id,
    project: row.project_id,
    goal: row.goal,
    title: row.title,
    agent: row.agent,
    ...(model !== undefined && { model }),
    sessionId: row.session_id,
    session: await handleOf(db, row.project_id, row.session_id),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.summary === null ? {} : { summary: row.summary }),
    mode: row.mode,
    ...(row.mode === 'finite' ? {} : { cycle: row.nudges + 1 }),
    ...(row.cycle_at === null ? {} : { cycleStartedAt: iso(row.cycle_at) }),
    ...(isWaitingForCycle(row) && { nextCycleAt: iso(row.nudge_at!) }),
    limits: limitsOfRun(row),
    ...(stage !== undefined && { stageId: stage }),
    ...(row.inbox_id === null ? {} : { inboxId: row.inbox_id }),
    nodes: await countNodes(db, row.id),
    workers: await countWorkers(db, row.id),
    costUsd: spent.costUsd,
    coordinatorCostUsd: spent.coordinatorCostUsd,
    unpricedTokens: spent.unpricedTokens,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    ...(row.ended_at === null ? {} : { endedAt: iso(row.ended_at) }),
    ...(row.archived_at === null ? {} : { archivedAt: iso(row.archived_at) }),
  }
}

/** A worker does the open node that has its name. */
async function countWorkers(db: Db, id: RunId): Promise<Run['workers']> {
  const given = await db
    .selectFrom('nodes')
    .select(['worker', 'status'])
    .where('run_id', '=', id)
    .where('worker', 'is not', null)
    .where((or) =>
      or.or([
        or('status', 'in', ['processing', 'waiting']),
        or.and([or('status', '=', 'pending'), or('assigned_at', 'is not', null)]),
      ]),
    )
    .execute()
  const does = new Map(given.map(({ worker, status }) => [worker, status === 'waiting' ? 'waiting' : 'busy'] as const))
  const workers = await workersOf(db, id)
  return byStatus<WorkerStatus>(
    workers.map(({ name, retired_at }) => ({ status: retired_at === null ? (does.get(name) ?? 'idle') : 'retired' })),
  )
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
