import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { taskStatus } from '../../core/tasks/index.ts'

export const taskStatusTool = defineTool({
  name: 'task_status',
  description: 'See the status of a task that you gave, and its result when it has ended.',
  input: z.strictObject({
    taskId: z.string().min(1).max(80).describe('As agent_spawn returned it'),
    offset: z.int().min(0).default(0).describe('The character of its result to read from, when that was cut'),
  }),
  capabilities: ['tasks'],
  rare: true,
  parallel: true,
  idempotent: true,
  async run({ taskId, offset }, { core, sessionId }) {
    return { output: await taskStatus(core, sessionId, taskId, offset) }
  },
})
