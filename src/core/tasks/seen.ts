import { AppError } from '../../contract/errors.ts'
import type { SessionId, TaskId } from '../../contract/ids.ts'
import type { Task, TaskBranch } from '../../contract/tasks.ts'
import type { Db, TaskRow } from '../../store/tables.ts'
import { findTaskView, selectTasks, selectTree, type TaskQuery, type TaskView } from '../../store/task-lists.ts'
import { toTask } from '../../store/task-views.ts'
import { findTask, isGivenBy } from '../../store/tasks.ts'
import type { Core } from '../base/index.ts'

/** A session steers the tasks that it gave, and those below them; a person all of them. */
export async function steeredTask(db: Db, by: SessionId | 'human', id: TaskId): Promise<TaskRow> {
  const task = await findTask(db, id)
  if (task !== undefined && (by === 'human' || (await isGivenBy(db, by, task)))) return task
  throw by === 'human' ? noTask(id) : notGiven(id)
}

/** A session sees the task that it works on, too. */
export async function seenTask(db: Db, by: SessionId | 'human', id: TaskId): Promise<TaskRow> {
  const task = await findTask(db, id)
  return task !== undefined && task.session_id === by ? task : steeredTask(db, by, id)
}

export async function getTask(db: Db, by: SessionId | 'human', id: TaskId): Promise<Task> {
  await seenTask(db, by, id)
  return toTask(db, (await findTaskView(db, id))!)
}

export async function listTasks(
  core: Core,
  query: TaskQuery,
  db: Db = core.store.read,
): Promise<{ items: Task[]; nextCursor?: string }> {
  const rows = await selectTasks(db, query)
  const items = await Promise.all(rows.map((row) => toTask(db, row, { brief: true })))
  const last = rows.at(-1)
  return rows.length === query.limit && last ? { items, nextCursor: `${last.created_at}.${last.id}` } : { items }
}

const TREE = { depth: 20, limit: 501 }

/** The task and those below it, each behind the one that it belongs to. */
export async function taskTree(
  db: Db,
  by: SessionId | 'human',
  id: TaskId,
): Promise<{ items: TaskBranch[]; more: boolean }> {
  await seenTask(db, by, id)
  const all = await selectTree(db, id, TREE)
  const shown = all.slice(0, TREE.limit - 1)
  const below = Map.groupBy(shown, ({ parent_task_id, id: own }) => (own === id ? '' : parent_task_id))
  const inOrder = (parent: string): (TaskView & { depth: number })[] =>
    (below.get(parent) ?? []).flatMap((task) => [task, ...inOrder(task.id)])
  const items = await Promise.all(
    inOrder('').map(async (view) => ({ ...(await toTask(db, view, { brief: true })), depth: view.depth })),
  )
  return { items, more: all.length > shown.length }
}

const noTask = (id: string): AppError =>
  new AppError('task.not_found', `There is no task "${id.slice(0, 80)}".`, { hint: 'List them with: troupe tasks' })

const notGiven = (id: string): AppError =>
  new AppError('task.not_found', `You gave no task "${id.slice(0, 80)}".`, {
    hint: 'Use the taskId that agent_spawn or task_create returned; task_list shows those that you gave.',
  })
