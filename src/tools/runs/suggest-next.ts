import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { suggestNext } from '../../core/runs/index.ts'

export const suggestNextTool = defineTool({
  name: 'suggest_next',
  description:
    'Tell the coordinator what should be done next, or by somebody else. It reads this when your node has ended.',
  input: z.strictObject({ suggestion: z.string().trim().min(1).max(2000) }),
  capabilities: ['tasks'],
  idempotent: true,
  async run({ suggestion }, context) {
    await suggestNext(context.core, context, suggestion)
    return { output: { noted: true } }
  },
})
