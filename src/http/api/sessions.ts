import type { Context } from 'hono'
import type { SessionId } from '../../contract/ids.ts'
import type { Routes } from '../../contract/routes/index.ts'
import type { Session } from '../../contract/sessions.ts'
import type { Core } from '../../core/base/index.ts'
import {
  changeSession,
  createSession,
  findByRef,
  forkSession,
  getSession,
  listSessions,
  markRead,
} from '../../core/sessions/index.ts'
import {
  backSession,
  cancelSession,
  cancelTree,
  clearSession,
  closeSession,
  compactSession,
  deleteSession,
  pauseSession,
  promoteSession,
  reopenSession,
  resumeSession,
  switchSession,
} from '../../core/steering/index.ts'
import type { HttpEnv, ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot, snapshotAside } from '../live/snapshot.ts'
import { projectOf, scopeOf } from './project.ts'

export function sessionHandlers({ core }: ServerParts) {
  /** An act on a session that needs nothing but its name. */
  const does =
    (act: (core: Core, id: SessionId) => Promise<Session>) =>
    async ({ c }: { c: Context<HttpEnv> }): Promise<Session> =>
      act(core, await idOf(core, c))

  return {
    'POST /api/sessions': ({ c, body }) => createSession(core, projectOf(core, c), body),
    'GET /api/sessions': ({ c, query: { agent, status, q, run, pinned, hidden, limit, cursor } }) => {
      const project = scopeOf(core, c)
      // A search in texts reads all of them, however few match.
      const read = q === undefined ? snapshot(core, c) : snapshotAside(core, c)
      return read((db) => listSessions(core, { project, agent, status, q, run, pinned, hidden, limit, cursor }, db))
    },
    'GET /api/sessions/{ref}': ({ c, params: { ref } }) =>
      snapshot(core, c)((db) => getSession(core, projectOf(core, c).id, ref, db)),
    'PATCH /api/sessions/{ref}': async ({ c, body }) => changeSession(core, await idOf(core, c), body),
    'DELETE /api/sessions/{ref}': async ({ c }) => {
      const session = await sessionOf(core, c)
      await deleteSession(core, session.id)
      return session
    },
    'POST /api/sessions/{ref}/fork': async ({ c, body }) => forkSession(core, await idOf(core, c), body),
    'POST /api/sessions/{ref}/read': async ({ c, body }) => markRead(core, await idOf(core, c), body.seq),
    'POST /api/sessions/{ref}/switch': async ({ c, body }) => switchSession(core, await idOf(core, c), body),
    'POST /api/sessions/{ref}/back': async ({ c, body }) => backSession(core, await idOf(core, c), body),
    'POST /api/sessions/{ref}/clear': does(clearSession),
    'POST /api/sessions/{ref}/compact': async ({ c, body }) => compactSession(core, await idOf(core, c), body.focus),
    'POST /api/sessions/{ref}/close': does(closeSession),
    'POST /api/sessions/{ref}/reopen': does(reopenSession),
    'POST /api/sessions/{ref}/cancel': async ({ c, query: { tree } }) =>
      (tree ? cancelTree : cancelSession)(core, await idOf(core, c)),
    'POST /api/sessions/{ref}/pause': does(pauseSession),
    'POST /api/sessions/{ref}/resume': does(resumeSession),
    'POST /api/sessions/{ref}/promote': does(promoteSession),
  } satisfies Partial<Handlers<Routes['sessions']>>
}

export const idOf = async (core: Core, c: Context<HttpEnv>): Promise<SessionId> =>
  (await findByRef(core.store.read, projectOf(core, c).id, c.req.param('ref') ?? '')).id

/** The session that `{ref}` names, by id or handle. */
const sessionOf = (core: Core, c: Context<HttpEnv>): Promise<Session> =>
  getSession(core, projectOf(core, c).id, c.req.param('ref') ?? '')
