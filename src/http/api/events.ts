import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { AppError } from '../../contract/errors.ts'
import type { Subscribe } from '../../contract/frames.ts'
import type { Routes } from '../../contract/routes/index.ts'
import { type Core, checkTask, readEvents } from '../../core/base/index.ts'
import { getSession } from '../../core/sessions/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import type { Filter } from '../live/feed.ts'
import { streamSink } from '../live/stream.ts'
import { folderOf, namedProject } from './project.ts'

export const eventHandlers = ({ core, feed, clients }: ServerParts): Handlers<Routes['events']> => ({
  'GET /api/events': async ({ c, query: { limit, after, newest, ...query } }) => {
    const { deltas: _live, ...filter } = await filterOf(core, { ...query, project: folderOf(c) })
    const { items, seq } = await readEvents(core, { ...filter, after, limit, newest })
    return { items, seq }
  },
  'GET /api/events/stream': async ({ c, query: { after, ...query }, headers }) => {
    const filter = await filterOf(core, { ...query, project: folderOf(c) })
    if (c.req.method === 'HEAD') return c.body(null, 200)
    const { outgoing } = c.env
    const leave = clients.enter()
    outgoing.once('close', leave)
    const from = headers['last-event-id'] ?? after
    const subscription = await feed.subscribe(streamSink(outgoing), filter, from).catch((error) => {
      leave()
      throw error
    })
    outgoing.once('close', subscription.close)
    if (outgoing.closed) subscription.close()
    return RESPONSE_ALREADY_SENT
  },
  'GET /api/ws': () => {
    throw new AppError('request.invalid', 'This address speaks WebSocket only.', {
      hint: 'Connect with a WebSocket client.',
    })
  },
})

/** Whoever names a session, a task, a run or a node need not name the project: each of them is in one project only. */
export async function filterOf(core: Core, asked: Omit<Subscribe, 'op' | 'id' | 'after'>): Promise<Filter> {
  const { project, session, task, run: runId, node: nodeId, types, deltas } = asked
  const scope = project === '*' ? undefined : namedProject(core, project)
  if (task !== undefined) await checkTask(core, task)
  const sessionId = session && (await getSession(core, (scope ?? core.project).id, session)).id
  const named = [sessionId, task, runId, nodeId].some((id) => id !== undefined)
  return { types, deltas, sessionId, taskId: task, runId, nodeId, project: named ? undefined : scope?.id }
}
