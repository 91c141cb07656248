import { z } from 'zod'
import { HookList, HookTried, TestHooks } from '../hooks.ts'
import type { RouteTable } from './route.ts'
import { projectQuery } from './shapes.ts'

/** Commands that run at moments of sessions. They are written in files; here they are seen and tried. */
export const hookRoutes = {
  'GET /api/hooks': {
    summary: 'The hooks that count, in the order in which they run, and what is wrong with others',
    who: 'person',
    query: z.object({
      ...projectQuery,
      agent: z.string().max(64).optional().describe('With the hooks of this agent'),
    }),
    answer: HookList,
  },
  'POST /api/hooks/test': {
    summary:
      'Runs the hooks of an event as they would run, with an example, and says what each came to; nothing comes of it',
    who: 'person',
    query: z.object(projectQuery),
    body: TestHooks,
    answer: z.strictObject({ items: z.array(HookTried) }),
  },
} as const satisfies RouteTable
