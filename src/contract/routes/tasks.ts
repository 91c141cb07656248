import { z } from 'zod'
import { Event } from '../events.ts'
import { RunId } from '../ids.ts'
import { CreateTask, RespondTask, RetryTask, Task, TaskBranch, TaskPriority, TaskStatus, TaskTag } from '../tasks.ts'
import type { RouteTable } from './route.ts'
import { begun, Id, InProject, page, pageQuery, projectQuery } from './shapes.ts'

/** What a session may do too, with the tasks that it gave and those below them. */
const given = { who: 'session', params: Id, query: InProject } as const

export const taskRoutes = {
  'POST /api/tasks': {
    summary: 'Give a task to an agent, as the person or as the session of the token',
    who: 'session',
    query: InProject,
    body: CreateTask,
    answer: begun(Task),
  },
  'GET /api/tasks': {
    summary: 'Tasks, the newest first',
    who: 'session',
    query: z.object({
      ...pageQuery,
      status: TaskStatus.optional(),
      agent: z.string().max(64).optional(),
      tag: TaskTag.optional(),
      run: RunId.optional().describe('Given to members of this run'),
      priority: TaskPriority.optional(),
      parent: z
        .string()
        .max(100)
        .optional()
        .describe('The id of the task above, or the handle of the session that gave it'),
    }),
    answer: page(Task),
  },
  'GET /api/tasks/{id}': { ...given, summary: 'One task', answer: Task },
  'DELETE /api/tasks/{id}': { ...given, summary: 'Cancel it with all below it; the rows stay', answer: Task },
  'POST /api/tasks/{id}/respond': {
    ...given,
    summary: 'Answer the one question that it waits with',
    body: RespondTask,
    answer: Task,
  },
  'POST /api/tasks/{id}/retry': {
    ...given,
    who: 'person',
    summary: 'Try a failed or canceled one again: from where it stopped, or clean',
    body: RetryTask,
    bodyOptional: true,
    answer: Task,
  },
  'GET /api/tasks/{id}/tree': {
    ...given,
    summary: 'The task and those below it, each behind the one that it belongs to; 500 at most',
    answer: z.strictObject({ items: z.array(TaskBranch), more: z.boolean() }),
  },
  'GET /api/tasks/{id}/events': {
    ...given,
    summary:
      'Every change of status, model call and tool call of the task, oldest first; seq is the position to go on from',
    query: z.object({
      ...projectQuery,
      after: z.string().max(20_000).optional().describe('The last seq that was received, as given'),
      limit: z.coerce.number().int().min(1).max(1000).default(200),
    }),
    answer: z.strictObject({ items: z.array(Event), seq: z.string() }),
  },
} as const satisfies RouteTable
