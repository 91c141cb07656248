import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { AppError } from '../../contract/errors.ts'
import { Event, eventTypes } from '../../contract/events.ts'
import { type Core, checkTask, readEvents } from '../../core/base/index.ts'
import { getSession } from '../../core/sessions/index.ts'
import type { Env, Face } from '../context.ts'
import type { Filter } from '../live/feed.ts'
import { streamSink } from '../live/stream.ts'
import { answers, commaList, flag, projectQuery, shape } from '../shapes.ts'
import { folderOf, namedProject } from './project.ts'

const tags = ['events']
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

/** The record of all that happened: as a list, as server-sent events, and (socket.ts) over a WebSocket. */
export function eventRoutes({ core, feed, clients }: Face) {
  const list = createRoute({
    method: 'get',
    path: '/events',
    tags,
    summary: 'Events after a position, oldest first; seq is the position to go on from',
    request: { query: z.object({ ...filterQuery, limit: z.coerce.number().int().min(1).max(LIST).default(200) }) },
    responses: answers(z.strictObject({ items: z.array(shape('Event', Event)), seq: z.string() })),
  })
  const stream = createRoute({
    method: 'get',
    path: '/events/stream',
    tags,
    summary:
      'Server-sent events: each event with its seq as id; "seq" frames move the position; "delta" frames with deltas=true',
    request: {
      query: z.object({ ...filterQuery, deltas: flag }),
      headers: z.object({ 'last-event-id': z.string().max(20_000).optional() }),
    },
    responses: { 200: { description: 'The stream; without "after" or Last-Event-ID it begins now' } },
  })
  const socket = createRoute({
    method: 'get',
    path: '/ws',
    tags,
    summary: 'A WebSocket with the subprotocols "troupe.v1, bearer.<token>"; frames: contract/frames.ts',
    responses: { 101: { description: 'Switching protocols' } },
  })

  return new OpenAPIHono<Env>()
    .openapi(list, async (c) => {
      const { limit, after, ...query } = c.req.valid('query')
      const { deltas: _live, ...filter } = await filterOf(core, { ...query, project: folderOf(c) })
      const { items, seq } = await readEvents(core, { ...filter, after, limit })
      return c.json({ items, seq }, 200)
    })
    .openapi(stream, async (c) => {
      const { after, ...query } = c.req.valid('query')
      const filter = await filterOf(core, { ...query, project: folderOf(c) })
      if (c.req.method === 'HEAD') return c.body(null, 200)
      const { outgoing } = c.env
      const leave = clients.enter()
      outgoing.once('close', leave)
      const from = c.req.valid('header')['last-event-id'] ?? after
      const subscription = await feed.subscribe(streamSink(outgoing), filter, from).catch((error) => {
        leave()
        throw error
      })
      outgoing.once('close', subscription.close)
      if (outgoing.closed) subscription.close()
      return RESPONSE_ALREADY_SENT
    })
    .openapi(socket, () => {
      throw new AppError('request.invalid', 'This address speaks WebSocket only.', {
        hint: 'Connect with a WebSocket client.',
      })
    })
}

interface Asked {
  readonly project?: string | undefined
  readonly session?: string | undefined
  readonly task?: string | undefined
  readonly run?: string | undefined
  readonly node?: string | undefined
  readonly types?: readonly string[] | undefined
  readonly deltas?: boolean | undefined
}

/** A session, a task, a run and a node are in one project already, so naming it is enough. */
export async function filterOf(core: Core, asked: Asked): Promise<Filter> {
  const { project, session, task, run: runId, node: nodeId, types, deltas } = asked
  const scope = project === '*' ? undefined : namedProject(core, project)
  if (task !== undefined) await checkTask(core, task)
  const sessionId = session && (await getSession(core, (scope ?? core.project).id, session)).id
  const named = [sessionId, task, runId, nodeId].some((id) => id !== undefined)
  return { types, deltas, sessionId, taskId: task, runId, nodeId, project: named ? undefined : scope?.id }
}
