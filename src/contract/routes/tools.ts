import { ToolInfo } from '../tools.ts'
import type { RouteTable } from './route.ts'
import { page, Whole } from './shapes.ts'

/** Every tool there is; a session has those its agent's definition gives it. */
export const toolRoutes = {
  'GET /api/tools': {
    summary: 'The tools with what they need and take',
    who: 'session',
    query: Whole,
    answer: page(ToolInfo),
  },
} as const satisfies RouteTable
