import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { respondTask } from '../../core/steering/index.ts'

export const taskRespond = defineTool({
  name: 'task_respond',
  description:
    'Answer the question with which a task that you gave waits. It is told that you answered, not the person. You cannot approve calls.',
  input: z.strictObject({
    taskId: z.string().min(1).max(80).describe('As agent_spawn or task_create returned it'),
    message: z.string().min(1).max(100_000).describe('The answer'),
  }),
  capabilities: ['tasks'],
  rare: 'answer a task',
  idempotent: true,
  async run({ taskId, message }, { core, sessionId, callId }) {
    await respondTask(core, { sessionId, callId }, taskId, message)
    return { output: 'Answered; it goes on.' }
  },
})
