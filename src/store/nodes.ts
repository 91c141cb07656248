import { sql } from 'kysely'
import { z } from 'zod'
import type { NodeId, RunId, SessionId } from '../contract/ids.ts'
import { type Node, PublishedFile } from '../contract/runs.ts'
import { iso } from '../lib/clock.ts'
import { shorten } from '../lib/shorten.ts'
import { isPostgres } from './drivers/dialect.ts'
import { prepared } from './drivers/prepared.ts'
import { readJson } from './drivers/unreadable.ts'
import type { NodeRow } from './run-tables.ts'
import type { Db } from './tables.ts'

/** Queries about the nodes of a run, what they depend on, and who is to be told of them. */

export async function insertNode(db: Db, row: NodeRow, dependsOn: readonly NodeId[]): Promise<void> {
  await db.insertInto('nodes').values(row).execute()
  const deps = dependsOn.map((depends_on) => ({ run_id: row.run_id, node_id: row.id, depends_on }))
  if (deps.length > 0) await db.insertInto('node_deps').values(deps).execute()
}

export async function findNode(db: Db, id: NodeId): Promise<NodeRow | undefined> {
  return (await selectById(db, id))[0]
}

const selectById = prepared((db, id: NodeId) => db.selectFrom('nodes').selectAll().where('id', '=', id))

/** A call makes its node once, however often it is run. */
export async function findNodeByCall(db: Db, madeBy: SessionId, callId: string): Promise<NodeRow | undefined> {
  return db
    .selectFrom('nodes')
    .selectAll()
    .where('made_by', '=', madeBy)
    .where('call_id', '=', callId)
    .executeTakeFirst()
}

export async function updateNode(db: Db, id: NodeId, change: Partial<NodeRow>): Promise<void> {
  await db.updateTable('nodes').set(change).where('id', '=', id).execute()
}

/** Changes a node that has not begun. False when it has begun or ended meanwhile. */
export async function updateUnbegun(db: Db, id: NodeId, change: Partial<NodeRow>): Promise<boolean> {
  const row = await db
    .updateTable('nodes')
    .set(change)
    .where('id', '=', id)
    .where('task_id', 'is', null)
    .where('status', 'in', ['pending', 'blocked'])
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Changes a node that failed or was canceled. False when it was tried again meanwhile. */
export async function updateEnded(
  db: Db,
  { id, status, task_id }: Pick<NodeRow, 'id' | 'status' | 'task_id'>,
  change: Partial<NodeRow>,
): Promise<boolean> {
  const row = await db
    .updateTable('nodes')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', status)
    .where('task_id', task_id === null ? 'is' : '=', task_id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Makes whoever else changes the node wait until this transaction ends. */
export async function lockNode(db: Db, id: NodeId): Promise<NodeRow | undefined> {
  const row = db.selectFrom('nodes').selectAll().where('id', '=', id)
  return (isPostgres(db) ? row.forNoKeyUpdate() : row).executeTakeFirst()
}

/** The node that was given to a worker and has no task yet. */
export async function unbegunOf(db: Db, runId: RunId, worker: string): Promise<NodeId | undefined> {
  const row = await db
    .selectFrom('nodes')
    .select('id')
    .where('run_id', '=', runId)
    .where('worker', '=', worker)
    .where('status', '=', 'pending')
    .where('assigned_at', 'is not', null)
    .where('task_id', 'is', null)
    .executeTakeFirst()
  return row?.id
}

/** In the order in which they were made. */
export async function nodesOf(db: Db, runId: RunId): Promise<NodeRow[]> {
  return db.selectFrom('nodes').selectAll().where('run_id', '=', runId).orderBy('number').execute()
}

/** What each node of a run depends on. */
export async function depsOf(db: Db, runId: RunId): Promise<Map<NodeId, NodeId[]>> {
  const rows = await db
    .selectFrom('node_deps')
    .innerJoin('nodes', 'nodes.id', 'node_deps.depends_on')
    .select(['node_deps.node_id', 'node_deps.depends_on'])
    .where('node_deps.run_id', '=', runId)
    .orderBy('nodes.number')
    .execute()
  const each = Map.groupBy(rows, ({ node_id }) => node_id)
  return new Map([...each].map(([id, deps]) => [id, deps.map(({ depends_on }) => depends_on)]))
}

/** The nodes that this one depends on. */
export async function neededBy(db: Db, id: NodeId): Promise<NodeRow[]> {
  return db
    .selectFrom('nodes')
    .innerJoin('node_deps', 'node_deps.depends_on', 'nodes.id')
    .selectAll('nodes')
    .where('node_deps.node_id', '=', id)
    .orderBy('nodes.number')
    .execute()
}

/** Whether nodes below this one have not ended, or its worker has not been told how they did. */
export async function hasUntoldChildren(db: Db, id: NodeId): Promise<boolean> {
  const row = await db
    .selectFrom('nodes')
    .select('id')
    .where('parent_node_id', '=', id)
    .where((or) => or.or([or('status', 'in', ['pending', 'processing', 'waiting']), or('told', '=', 0)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Nodes directly below another one, or at the top of a run, that ended or are blocked and of which nobody was told. */
export async function untoldNodes(db: Db, runId: RunId, parent: NodeId | null): Promise<NodeRow[]> {
  return (
    db
      .selectFrom('nodes')
      .leftJoin('stages', 'stages.id', 'nodes.stage_id')
      .selectAll('nodes')
      .where('nodes.run_id', '=', runId)
      .where('nodes.parent_node_id', parent === null ? 'is' : '=', parent)
      .where('nodes.status', 'in', ['finished', 'failed', 'canceled', 'blocked'])
      .where('nodes.told', '=', 0)
      // What finishes in a stage is told with the stage, and by itself only afterwards.
      .where(sql<boolean>`(stages.told is null or stages.told = 1 or nodes.status <> 'finished')`)
      .orderBy('nodes.number')
      .execute()
  )
}

export async function markTold(db: Db, ids: readonly NodeId[]): Promise<void> {
  await db
    .updateTable('nodes')
    .set({ told: 1 })
    .where('id', 'in', [...ids])
    .execute()
}

const SHOWN = 240
/** How many of its files a board names. */
export const FILES_SHOWN = 10

/** A long text as boards show it. */
export const onBoard = (text: string): string => shorten(text, SHOWN)

/** A node as people and scripts see it. On a board long texts are cut. */
export function toNode(
  row: NodeRow,
  dependsOn: readonly NodeId[],
  { costUsd, brief = false }: { readonly costUsd: number; readonly brief?: boolean },
): Node {
  const cut = (text: string): string => (brief ? onBoard(text) : text)
  const time = (ms: number | null, name: string) => (ms === null ? {} : { [name]: iso(ms) })
  return {
    id: row.id,
    title: titleOf(row),
    spec: cut(row.spec),
    status: row.status,
    dependsOn: [...dependsOn],
    ...(row.refs === '{}' ? {} : { refs: refsOf(row) }),
    ...(row.single === 1 && { single: true }),
    ...(row.parent_node_id === null ? {} : { parentNodeId: row.parent_node_id }),
    ...(row.stage_id === null ? {} : { stageId: row.stage_id }),
    ...(row.worker === null ? {} : { worker: row.worker }),
    ...time(row.assigned_at, 'assignedAt'),
    ...(row.task_id === null ? {} : { taskId: row.task_id }),
    ...(row.summary === null ? {} : { summary: cut(row.summary) }),
    ...(row.reason === null ? {} : { reason: cut(row.reason) }),
    ...(row.partial === 1 && { partial: true }),
    ...(row.published_at === null ? {} : { published: publishedFiles(row).slice(0, brief ? FILES_SHOWN : undefined) }),
    costUsd,
    createdAt: iso(row.created_at),
    ...time(row.started_at, 'startedAt'),
    ...time(row.finished_at, 'finishedAt'),
    updatedAt: iso(row.updated_at),
  }
}

/** What a node builds on, by name; nothing where that cannot be read. */
export const refsOf = ({ id, refs }: Pick<NodeRow, 'id' | 'refs'>): Record<string, string> =>
  readJson({ table: 'nodes', key: id, column: 'refs' }, refs, (value) => Refs.safeParse(value).success, {})

const Refs = z.record(z.string(), z.string())

/** Its worker works on it, or waits to go on. */
export const isOpenNode = ({ status }: Pick<NodeRow, 'status'>): boolean =>
  status === 'processing' || status === 'waiting'

/** What a node hands over; nothing where that cannot be read. */
export const publishedFiles = ({ id, files }: Pick<NodeRow, 'id' | 'files'>): PublishedFile[] =>
  readJson(
    { table: 'nodes', key: id, column: 'files' },
    files,
    (value) => PublishedFile.array().safeParse(value).success,
    [],
  )

/** The first line of its spec. */
export const titleOf = ({ spec }: Pick<NodeRow, 'spec'>): string => shorten(spec.trim().split('\n', 1)[0]!, 60)
