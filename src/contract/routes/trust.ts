import { SetTrust } from '../api.ts'
import { TrustState } from '../trust.ts'
import type { RouteTable } from './route.ts'
import { InProject } from './shapes.ts'

/** Whether the parts of a project that act may have effect. */
export const trustRoutes = {
  'GET /api/trust': {
    summary: 'The acting parts of the project and whether they are trusted as they are',
    who: 'person',
    query: InProject,
    answer: TrustState,
  },
  'POST /api/trust': {
    summary: 'Trust exactly what the hash stands for, decline it, or without a hash no longer trust',
    who: 'person',
    query: InProject,
    body: SetTrust,
    answer: TrustState,
  },
} as const satisfies RouteTable
