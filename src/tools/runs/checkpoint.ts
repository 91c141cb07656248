import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { checkpoint } from '../../core/runs/index.ts'

export const checkpointTool = defineTool({
  name: 'checkpoint',
  description: 'Record how far your node is. Its stage need not wait for you any longer; you go on.',
  input: z.strictObject({ summary: z.string().trim().min(1).max(20_000).describe('What is done, and what is left') }),
  capabilities: ['tasks'],
  idempotent: true,
  async run({ summary }, { core, sessionId }) {
    await checkpoint(core, sessionId, summary)
    return { output: { recorded: true } }
  },
})
