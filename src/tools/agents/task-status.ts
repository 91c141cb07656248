import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { taskStatus } from '../../core/tasks/index.ts'

export const taskStatusTool = defineTool({
  name: 'task_status',
  description: 'See how a task stands that you gave: its status, and its result when it has ended.',
  input: z.strictObject({
    taskId: z.string().min(1).max(80).describe('As agent_spawn returned it'),
    offset: z.int().min(0).default(0).describe('From which character of its result, when that was cut'),
  }),
  capabilities: ['tasks'],
  parallel: true,
  idempotent: true,
  async run({ taskId, offset }, { core, sessionId }) {
    return { output: await taskStatus(core, sessionId, taskId, offset) }
  },
})
