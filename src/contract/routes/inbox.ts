import { z } from 'zod'
import { InboxAnswer, InboxItem, InboxKind, InboxStatus } from '../inbox.ts'
import { Presence, SetPresence } from '../presence.ts'
import type { RouteTable } from './route.ts'
import { Id, page, pageQuery } from './shapes.ts'

/** What waits for the person, over all projects unless one is named. */
export const inboxRoutes = {
  'GET /api/inbox': {
    summary: 'Questions, approvals, messages and notices, newest first',
    who: 'person',
    query: z.object({
      ...pageQuery,
      status: InboxStatus.optional(),
      kind: InboxKind.optional(),
      agent: z.string().max(100).optional().describe('Of whom it is'),
      id: z
        .string()
        .regex(/^[\w-]{1,200}$/)
        .optional()
        .describe('The beginning of an id'),
    }),
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
  'GET /api/presence': {
    summary: 'Whether the person is there, and whether everything is paused',
    who: 'person',
    answer: Presence,
  },
  'POST /api/presence': {
    summary: 'The person goes away, until a moment if they know it, or is back',
    who: 'person',
    body: SetPresence,
    answer: Presence,
  },
  'POST /api/pause': {
    summary: 'Pause everything: what runs stops at its next safe point, and nothing is begun',
    who: 'person',
    answer: Presence,
  },
  'POST /api/resume': { summary: 'Let everything go on', who: 'person', answer: Presence },
} as const satisfies RouteTable
