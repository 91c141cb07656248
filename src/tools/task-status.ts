import { z } from 'zod'
import { taskStatus as statusOf } from '../core/tasks/follow.ts'
import { defineTool } from '../core/tools.ts'

export const taskStatus = defineTool({
  name: 'task_status',
  description: 'See how a task stands that you gave: its status, and its result when it has ended.',
  input: z.strictObject({ taskId: z.string().min(1).max(80).describe('As agent_spawn returned it') }),
  capabilities: ['tasks'],
  parallel: true,
  idempotent: true,
  async run({ taskId }, { core, sessionId }) {
    return { output: await statusOf(core, sessionId, taskId) }
  },
})
