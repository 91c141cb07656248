import type { RunId, SessionId, TaskId } from '../contract/ids.ts'
import { atMost } from './drivers/limit.ts'
import { handleBetween } from './sessions.ts'
import type { Db, SessionRow } from './tables.ts'

/** A session on whose behalf another asks. */
export interface LineageSession
  extends Pick<SessionRow, 'id' | 'agent' | 'worker' | 'run_id' | 'task_id' | 'parent_session_id'> {
  readonly handle: string
}

/** These sessions and all that they descend from, with their handles: one statement, however many there are. */
export async function sessionsAbove(db: Db, ids: readonly SessionId[]): Promise<Map<SessionId, LineageSession>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .withRecursive('line(id, parent)', (line) =>
      line
        .selectFrom('sessions')
        .select(['id', 'parent_session_id as parent'])
        .where('id', 'in', [...ids])
        .union(
          line
            .selectFrom('sessions')
            .innerJoin('line', 'line.parent', 'sessions.id')
            .select(['sessions.id', 'sessions.parent_session_id as parent']),
        ),
    )
    .selectFrom('line')
    .innerJoin('sessions as own', 'own.id', 'line.id')
    .select(['own.id', 'own.agent', 'own.worker', 'own.run_id', 'own.task_id', 'own.parent_session_id'])
    .select((of) => {
      const others = of
        .selectFrom('sessions as other')
        .select('other.id')
        .whereRef('other.project_id', '=', 'own.project_id')
        .limit(atMost(1))
      return [
        others.whereRef('other.id', '<', 'own.id').orderBy('other.id', 'desc').as('before'),
        others.whereRef('other.id', '>', 'own.id').orderBy('other.id').as('after'),
      ]
    })
    .execute()
  return new Map(
    rows.map(({ before, after, ...row }) => [row.id, { ...row, handle: handleBetween(row.id, before, after) }]),
  )
}

/** The titles of those that are not over. */
export async function titlesOfRuns(db: Db, ids: readonly RunId[]): Promise<Map<RunId, string>> {
  if (ids.length === 0) return new Map()
  const rows = db
    .selectFrom('runs')
    .select(['id', 'title'])
    .where('id', 'in', [...ids])
    .where('ended_at', 'is', null)
  return new Map((await rows.execute()).map(({ id, title }) => [id, title]))
}

/** What each of these tasks is about, unless it has ended. What the worker of a node reads begins with the node's id, which tells a person nothing. */
export async function wordsOfTasks(db: Db, ids: readonly TaskId[]): Promise<Map<TaskId, string>> {
  if (ids.length === 0) return new Map()
  const rows = db
    .selectFrom('tasks')
    .leftJoin('nodes', 'nodes.id', 'tasks.node_id')
    .select(['tasks.id', 'tasks.instruction', 'nodes.spec'])
    .where('tasks.id', 'in', [...ids])
    .where('tasks.finished_at', 'is', null)
  return new Map((await rows.execute()).map(({ id, spec, instruction }) => [id, spec ?? instruction]))
}
