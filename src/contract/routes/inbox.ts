import { z } from 'zod'
import { InboxAnswer, InboxItem, InboxStatus } from '../inbox.ts'
import type { RouteTable } from './route.ts'
import { Id, page, pageQuery } from './shapes.ts'

/** What waits for the person, over all projects unless one is named. */
export const inboxRoutes = {
  'GET /api/inbox': {
    summary: 'Questions, approvals, messages and notices, newest first',
    who: 'person',
    query: z.object({ ...pageQuery, status: InboxStatus.optional() }),
    answer: page(InboxItem),
  },
  'POST /api/inbox/{id}/answer': {
    summary: 'Answer a question or decide an approval, once',
    who: 'person',
    params: Id,
    body: InboxAnswer,
    answer: InboxItem,
  },
  'POST /api/inbox/{id}/dismiss': {
    summary: 'Put an item away without an answer',
    who: 'person',
    params: Id,
    answer: InboxItem,
  },
} as const satisfies RouteTable
