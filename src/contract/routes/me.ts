import { Layout, Me, PutLayout } from '../me.ts'
import type { RouteTable } from './route.ts'

/** The person who looks at the page, and how they arranged it. */
export const meRoutes = {
  'GET /api/me': { summary: 'Who asks, and with which device', who: 'person', answer: Me },
  'GET /api/me/layout': { summary: 'How the page was arranged', who: 'person', answer: Layout },
  'PUT /api/me/layout': {
    summary: 'Keep how the page is arranged, for all devices; the last one counts',
    who: 'person',
    body: PutLayout,
    answer: Layout,
  },
} as const satisfies RouteTable
