import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { ChangeSession, CreateSession, ForkSession, ReadSession } from '../../contract/api.ts'
import type { SessionId } from '../../contract/ids.ts'
import { Session, SessionStatus } from '../../contract/sessions.ts'
import type { Core } from '../../core/base/index.ts'
import {
  changeSession,
  createSession,
  forkSession,
  getSession,
  listSessions,
  markRead,
} from '../../core/sessions/index.ts'
import {
  cancelSession,
  clearSession,
  closeSession,
  deleteSession,
  pauseSession,
  reopenSession,
  resumeSession,
} from '../../core/steering/index.ts'
import type { Env, Face } from '../context.ts'
import { snapshot, snapshotAside } from '../live/snapshot.ts'
import { answers, body, Named, page, pageQuery, Ref, shape } from '../shapes.ts'
import { projectOf, scopeOf } from './project.ts'

const tags = ['sessions']
const SessionShape = shape('Session', Session)
const one = { params: Ref, query: Named }

/** Acts on a session that need nothing but its name. */
const acts = {
  clear: { act: clearSession, summary: 'Remove the history; identity and unread mail stay' },
  close: { act: closeSession, summary: 'Close it; the next mail reopens it' },
  reopen: { act: reopenSession, summary: 'Open a closed one again' },
  cancel: { act: cancelSession, summary: 'End the current turn and what it waits for' },
  pause: { act: pauseSession, summary: 'Take no more steps until it is resumed' },
  resume: { act: resumeSession, summary: 'Go on after a pause' },
} as const

export function sessionRoutes({ core }: Face) {
  const create = createRoute({
    method: 'post',
    path: '/sessions',
    tags,
    summary: 'Start a conversation with an agent',
    request: { query: Named, body: body(CreateSession) },
    responses: answers(SessionShape),
  })
  const list = createRoute({
    method: 'get',
    path: '/sessions',
    tags,
    summary: 'Sessions, the most recently updated first',
    request: {
      query: z.object({
        ...pageQuery,
        agent: z.string().optional(),
        status: SessionStatus.optional(),
        q: z.string().max(200).optional(),
      }),
    },
    responses: answers(page(SessionShape)),
  })
  const get = createRoute({
    method: 'get',
    path: '/sessions/{ref}',
    tags,
    summary: 'One session',
    request: one,
    responses: answers(SessionShape),
  })
  const patch = createRoute({
    method: 'patch',
    path: '/sessions/{ref}',
    tags,
    summary: 'Change title, pin, model, attributes or the unattended policy',
    request: { ...one, body: body(ChangeSession) },
    responses: answers(SessionShape),
  })
  const remove = createRoute({
    method: 'delete',
    path: '/sessions/{ref}',
    tags,
    summary: 'Delete it; its handle never comes to mean another',
    request: one,
    responses: answers(SessionShape),
  })
  const fork = createRoute({
    method: 'post',
    path: '/sessions/{ref}/fork',
    tags,
    summary: 'A new session with the history up to a message',
    request: { ...one, body: { ...body(ForkSession), required: false } },
    responses: answers(SessionShape),
  })
  const read = createRoute({
    method: 'post',
    path: '/sessions/{ref}/read',
    tags,
    summary: 'The person has read up to this message',
    request: { ...one, body: body(ReadSession) },
    responses: answers(SessionShape),
  })

  const routes = new OpenAPIHono<Env>()
    .openapi(create, async (c) => c.json(await createSession(core, projectOf(core, c), c.req.valid('json')), 200))
    .openapi(list, async (c) => {
      const { agent, status, q, limit, cursor } = c.req.valid('query')
      const project = scopeOf(core, c)
      // Looking into texts reads all of them, however few fit.
      const read = q === undefined ? snapshot : snapshotAside
      return c.json(
        await read(core, c, (db) => listSessions(core, { project, agent, status, q, limit, cursor }, db)),
        200,
      )
    })
    .openapi(get, async (c) => {
      const { ref } = c.req.valid('param')
      return c.json(await snapshot(core, c, (db) => getSession(core, projectOf(core, c).id, ref, db)), 200)
    })
    .openapi(patch, async (c) => c.json(await changeSession(core, await idOf(core, c), c.req.valid('json')), 200))
    .openapi(remove, async (c) => {
      const session = await sessionOf(core, c)
      await deleteSession(core, session.id)
      return c.json(session, 200)
    })
    .openapi(fork, async (c) => c.json(await forkSession(core, await idOf(core, c), c.req.valid('json')), 200))
    .openapi(read, async (c) => c.json(await markRead(core, await idOf(core, c), c.req.valid('json').seq), 200))

  for (const [name, { act, summary }] of Object.entries(acts)) {
    const route = createRoute({
      method: 'post',
      path: `/sessions/{ref}/${name}`,
      tags,
      summary,
      request: one,
      responses: answers(SessionShape),
    })
    routes.openapi(route, async (c) => c.json(await act(core, await idOf(core, c)), 200))
  }
  return routes
}

export const idOf = async (core: Core, c: Context<Env>): Promise<SessionId> => (await sessionOf(core, c)).id

/** The session that `:ref` names, by id or handle. */
const sessionOf = (core: Core, c: Context<Env>): Promise<Session> =>
  getSession(core, projectOf(core, c).id, c.req.param('ref') ?? '')
