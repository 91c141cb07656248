import { z } from 'zod'
import { Event, eventTypes } from '../events.ts'
import type { RouteTable } from './route.ts'
import { commaList, flag, projectQuery } from './shapes.ts'

const LIST = 1000

const filterQuery = {
  ...projectQuery,
  after: z.string().max(20_000).optional().describe('The last seq that was received, as given'),
  types: commaList(z.enum(eventTypes)),
  session: z.string().optional().describe('An id or handle'),
  task: z.string().max(100).optional().describe('An id'),
  run: z.string().max(100).optional().describe('An id'),
  node: z.string().max(100).optional().describe('An id'),
}

/** The record of all that happened: as a list, as server-sent events, and over a WebSocket. */
export const eventRoutes = {
  'GET /api/events': {
    summary: 'Events after a position, oldest first; seq is the position to go on from',
    who: 'person',
    query: z.object({
      ...filterQuery,
      limit: z.coerce.number().int().min(1).max(LIST).default(200),
      newest: flag.describe('Of more than the limit the newest, and seq behind them all'),
    }),
    answer: z.strictObject({ items: z.array(Event), seq: z.string() }),
  },
  'GET /api/events/stream': {
    summary:
      'Server-sent events: each event with its seq as id; "seq" frames move the position; "delta" frames with deltas=true',
    who: 'person',
    query: z.object({ ...filterQuery, deltas: flag }),
    headers: z.object({ 'last-event-id': z.string().max(20_000).optional() }),
    raw: { 200: 'The stream; without "after" or Last-Event-ID it begins now' },
  },
  'GET /api/ws': {
    summary: 'A WebSocket with the subprotocols "troupe.v1, bearer.<token>"; frames: contract/frames.ts',
    who: 'person',
    raw: { 101: 'Switching protocols' },
  },
} as const satisfies RouteTable
