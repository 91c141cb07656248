import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { cancelTask } from '../../core/steering/index.ts'
import { taskStatus } from '../../core/tasks/index.ts'

export const taskCancel = defineTool({
  name: 'task_cancel',
  description: 'Call off a task that you gave, with all the tasks below it.',
  input: z.strictObject({ taskId: z.string().min(1).max(80).describe('As agent_spawn or task_create returned it') }),
  capabilities: ['tasks'],
  rare: true,
  parallel: true,
  idempotent: true,
  async run({ taskId }, { core, sessionId }) {
    await cancelTask(core, sessionId, taskId)
    return { output: { task: await taskStatus(core, sessionId, taskId), note: 'It ends at its next safe point.' } }
  },
})
