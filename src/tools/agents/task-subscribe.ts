import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { followTask } from '../../core/tasks/index.ts'

export const taskSubscribe = defineTool({
  name: 'task_subscribe',
  description:
    'Be told by a message when a task ends that others below you gave. Of your own tasks you are told without this.',
  input: z.strictObject({ taskId: z.string().min(1).max(80).describe('As task_list shows it') }),
  capabilities: ['tasks'],
  rare: true,
  parallel: true,
  idempotent: true,
  maxOutputChars: 70_000,
  async run({ taskId }, { core, sessionId }) {
    return { output: await followTask(core, sessionId, taskId) }
  },
})
