import { z } from 'zod'
import type { Tool } from '../../src/core/base/tool.ts'
import { defineTool } from '../../src/core/permissions/judge.ts'
import { add, TOOL } from './job.ts'

/** The cheapest useful tool, for our program. */
export const addTool: Tool = defineTool({
  name: TOOL,
  description: 'Add two numbers.',
  input: z.strictObject({ a: z.number(), b: z.number() }),
  capabilities: [],
  parallel: true,
  run: async (input) => ({ output: add(input) }),
})
