import type { Task, TaskInput, TaskLimits } from '../contract/tasks.ts'
import { iso } from '../lib/clock.ts'
import { spentOf } from './cost.ts'
import { readJson, readObject } from './drivers/unreadable.ts'
import { handleOf, tokensOf } from './sessions.ts'
import type { Db, TaskRow } from './tables.ts'
import type { TaskView } from './task-lists.ts'
import { hasEnded } from './tasks.ts'

const SHOWN = 1000

/** A task as people and scripts see it. In a list long texts are cut; their lines stay, as the first one is the title. */
export async function toTask(db: Db, view: TaskView, { brief = false } = {}): Promise<Task> {
  const cut = (text: string): string => (brief && text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text)
  const time = (ms: number | null, name: string) => (ms === null ? {} : { [name]: iso(ms) })
  const spent = hasEnded(view) ? view : view.live
  const owner = view.owner_session_id
  return {
    id: view.id,
    agent: view.agent,
    sessionId: view.session_id,
    session: await handleOf(db, view.project_id, view.session_id),
    project: view.project_id,
    status: view.status,
    priority: view.priority,
    from: {
      kind: view.from_kind,
      ...(view.owner_agent === null ? {} : { agent: view.owner_agent }),
      ...(owner === null ? {} : { handle: await handleOf(db, view.project_id, owner) }),
    },
    ...(view.parent_task_id === null ? {} : { parentTaskId: view.parent_task_id }),
    tags: tagsOf(view),
    input: inputOf(view, cut),
    ...(view.output === null ? {} : { output: cut(view.output) }),
    ...(view.error === null ? {} : { error: view.error }),
    limits: limitsOf(view),
    iterations: view.iterations,
    attempts: view.attempts,
    tokens: tokensOf(spent),
    ...spentOf(spent),
    createdAt: iso(view.created_at),
    ...time(view.started_at, 'startedAt'),
    ...time(view.finished_at, 'finishedAt'),
    updatedAt: iso(view.updated_at),
  }
}

const tagsOf = ({ id, tags }: Pick<TaskRow, 'id' | 'tags'>): string[] =>
  readJson({ table: 'tasks', key: id, column: 'tags' }, tags, isTags, [])

const isTags = (value: unknown): boolean => Array.isArray(value) && value.every((tag) => typeof tag === 'string')

/** A task that was made before inputs were kept has its instruction. */
function inputOf({ id, input, instruction }: TaskRow, cut: (text: string) => string): TaskInput {
  const kept = readObject<TaskInput>({ table: 'tasks', key: id, column: 'input' }, input)
  return {
    ...kept,
    prompt: cut(kept.prompt || instruction || 'It cannot be read.'),
    ...(kept.context === undefined ? {} : { context: cut(kept.context) }),
  }
}

function limitsOf(task: TaskRow): TaskLimits {
  // What stands in for a limit that cannot be read is none.
  const given = (name: string, value: number | null) => (value === null || value <= 0 ? {} : { [name]: value })
  return {
    ...given('maxIterations', task.max_iterations),
    ...given('maxDurationSeconds', task.max_duration_ms === null ? null : Math.ceil(task.max_duration_ms / 1000)),
    ...given('maxCostUsd', task.max_cost_usd),
    ...given('maxWaitSeconds', Math.ceil(task.max_wait_ms / 1000)),
  }
}
