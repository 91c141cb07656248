import { z } from 'zod'
import { Problem } from '../agents.ts'
import { ToolInfo } from '../tools.ts'
import type { RouteTable } from './route.ts'
import { page, wholeQuery } from './shapes.ts'

const ForAgent = z.object({
  ...wholeQuery,
  agent: z.string().max(64).optional().describe('Those in the scope of this agent, its own included'),
})

/** The tools there are; a session has those its agent's definition gives it. */
export const toolRoutes = {
  'GET /api/tools': {
    summary: 'The tools with what they need and take',
    who: 'session',
    query: ForAgent,
    answer: page(ToolInfo),
  },
  'GET /api/tools/problems': {
    summary: 'Tools that are there and cannot be used, and why: broken, not trusted, or behind another of their name',
    who: 'person',
    query: ForAgent,
    answer: page(Problem),
  },
} as const satisfies RouteTable
