import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { startNextRun } from '../../core/runs/index.ts'

export const startRunTool = defineTool({
  name: 'start_run',
  description: 'Begin the next run in this conversation, which you coordinate, when the human asks for one.',
  input: z.strictObject({ goal: z.string().trim().min(1).max(100_000).describe('What must be true at its end') }),
  capabilities: ['tasks'],
  rare: true,
  idempotent: true,
  async run({ goal }, { core, sessionId, callId }) {
    const { id } = await startNextRun(core, { sessionId, callId }, goal)
    return { output: { runId: id, next: 'End your turn: a message calls you to the run, with the tools for it.' } }
  },
})
