import { z } from 'zod'
import { TaskStatus, TaskTag } from '../../contract/tasks.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { listTasks } from '../../core/tasks/index.ts'

const LISTED = 50

export const taskList = defineTool({
  name: 'task_list',
  description: 'List the tasks that you gave and those below them, the newest first.',
  input: z.strictObject({
    status: TaskStatus.optional().describe('Only those in this state'),
    agent: z.string().min(1).max(64).optional().describe('Only those of this agent'),
    tag: TaskTag.optional().describe('Only those with this tag'),
  }),
  capabilities: ['tasks'],
  rare: true,
  parallel: true,
  idempotent: true,
  async run(choice, { core, project, sessionId }) {
    const { items, nextCursor } = await listTasks(core, {
      ...choice,
      project: project.id,
      below: sessionId,
      limit: LISTED,
    })
    const tasks = items.map(({ id, agent, session, status, priority, tags, input, totalCostUsd, createdAt }) => ({
      taskId: id,
      agent,
      session,
      status,
      priority,
      ...(tags.length > 0 ? { tags } : {}),
      what: input.prompt.split('\n', 1)[0]!.slice(0, 200),
      costUsd: totalCostUsd,
      createdAt,
    }))
    return {
      output: {
        tasks,
        ...(nextCursor ? { note: `Only the newest ${LISTED}; name a status, an agent or a tag.` } : {}),
      },
    }
  },
})
