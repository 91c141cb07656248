import { z } from 'zod'
import { longestWait } from '../../core/config/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { awaitTasks } from '../../core/tasks/index.ts'
import { parkForTasks } from '../../core/waits/index.ts'

export const taskWait = defineTool({
  name: 'task_wait',
  description: 'Wait for tasks that you gave, and get their results. A message ends the wait early.',
  input: z.strictObject({
    taskIds: z.array(z.string().min(1).max(80)).min(1).max(200).describe('As agent_spawn gave them'),
    until: z.enum(['all', 'any']).default('all').describe('All, or the first'),
    timeout: z.int().min(1).max(3600).optional().describe('Seconds'),
  }),
  capabilities: ['tasks'],
  rare: true,
  idempotent: true,
  maxOutputChars: 70_000,
  async run({ taskIds, until, timeout }, { core, project, sessionId, callId }) {
    await awaitTasks(core, sessionId, callId, taskIds, until)
    const most = await longestWait(core, project)
    const ms = timeout === undefined ? most : Math.min(most, timeout * 1000)
    return parkForTasks({ taskIds, need: until, until: core.clock.now() + ms, longest: ms === most })
  },
})
