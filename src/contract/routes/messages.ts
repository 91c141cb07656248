import { z } from 'zod'
import { EditMessage, Reply, SendMessage } from '../api.ts'
import { Message } from '../messages.ts'
import type { RouteTable } from './route.ts'
import { flag, InProject, page, pageQuery, Ref } from './shapes.ts'

const position = z.coerce.number().int().min(0).optional()
const one = { who: 'person', params: Ref.extend({ id: z.string() }), query: InProject, answer: Message } as const

/** A session's log, and the person's own lines in it. */
export const messageRoutes = {
  'GET /api/sessions/{ref}/messages': {
    summary: 'The log, oldest first, from behind a position; or its end, or the part before a position',
    who: 'itself',
    params: Ref,
    query: z.object({
      ...pageQuery,
      after: position,
      cursor: position,
      newest: flag.describe('Of more than the limit the newest'),
      before: position.describe('Of more than the limit those right before this seq'),
    }),
    answer: page(Message),
  },
  'GET /api/sessions/{ref}/found': {
    summary:
      'Which messages of the log have these words, in what was said, given to tools or returned by them; newest first',
    who: 'person',
    params: Ref,
    query: z.object({
      ...pageQuery,
      text: z.string().trim().min(1).max(200),
      cursor: position.describe(
        'nextCursor of the page before; a page may be short, as each reads a bounded part of the log',
      ),
    }),
    answer: page(z.strictObject({ id: z.string(), seq: z.int() })),
  },
  'POST /api/sessions/{ref}/messages': {
    summary: 'Say something; with "wait" the answer of the turn that took it',
    who: 'person',
    params: Ref,
    query: InProject,
    body: SendMessage,
    answer: Reply,
    accepted: 'Accepted; the turn has not ended',
  },
  'PATCH /api/sessions/{ref}/messages/{id}': {
    ...one,
    summary: 'Edit a message of an idle session',
    body: EditMessage,
  },
  'DELETE /api/sessions/{ref}/messages/{id}': {
    ...one,
    summary: 'Delete a message of an idle session; a tombstone stays',
  },
} as const satisfies RouteTable
