import { ProjectInfo } from '../projects.ts'
import type { RouteTable } from './route.ts'
import { page, Whole } from './shapes.ts'

/** Folders in which agents work. */
export const projectRoutes = {
  'GET /api/projects': {
    summary: "The projects there are, the server's own first",
    who: 'person',
    query: Whole,
    answer: page(ProjectInfo),
  },
} as const satisfies RouteTable
