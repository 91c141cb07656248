import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { writePage } from '../../core/runs/index.ts'

export const writePlan = defineTool({
  name: 'write_plan',
  description: "Write _plan.md in the run's folder anew: the goal as you see it, what is decided, what comes next.",
  input: z.strictObject({
    content: z.string().trim().min(1).max(100_000).describe('Markdown; the whole page'),
    file: z
      .string()
      .regex(/^_[\w-]{1,60}\.md$/, 'must be a name such as "_decisions.md"')
      .default('_plan.md')
      .describe('Another page for all in the run, such as "_decisions.md"'),
  }),
  capabilities: ['tasks'],
  rare: 'keeps _plan.md',
  idempotent: true,
  async run({ content, file }, { core, sessionId }) {
    await writePage(core, sessionId, file, content)
    return { output: { written: file } }
  },
})
