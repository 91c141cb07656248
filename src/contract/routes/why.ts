import { Why } from '../why.ts'
import type { RouteTable } from './route.ts'
import { InProject, Ref } from './shapes.ts'

/** Why something does not go on. */
export const whyRoutes = {
  'GET /api/why/{ref}': {
    summary:
      'What a session, call, task, mail, inbox item or trigger does or waits for, what wakes it, who can unblock it',
    who: 'itself',
    params: Ref,
    query: InProject,
    answer: Why,
  },
} as const satisfies RouteTable
