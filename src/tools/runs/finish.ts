import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { finishRun } from '../../core/runs/index.ts'

export const finish = defineTool({
  name: 'finish',
  description: 'End the run: the goal is met, or cannot be met. Nodes that are still open are canceled.',
  input: z.strictObject({
    summary: z.string().trim().min(1).max(20_000).describe('The outcome, where everything is, and what is open'),
  }),
  capabilities: ['tasks'],
  idempotent: true,
  async run({ summary }, { core, sessionId }) {
    return { output: { status: await finishRun(core, sessionId, summary) } }
  },
})
