import type { Context } from 'hono'
import type { TriggerId } from '../../contract/ids.ts'
import type { Routes } from '../../contract/routes/index.ts'
import type { Trigger } from '../../contract/triggers.ts'
import type { Core } from '../../core/base/index.ts'
import {
  changeTrigger,
  createTrigger,
  deleteTrigger,
  fireNow,
  getTrigger,
  listDaemons,
  listFires,
  listTriggers,
  startDaemon,
  stopDaemon,
  triggerId,
} from '../../core/triggers/index.ts'
import { newId } from '../../lib/ids.ts'
import type { HttpEnv, ServerParts } from '../context.ts'
import { callerName } from '../guard/auth.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { projectOf, scopeOf } from './project.ts'

export const triggerHandlers = ({ core, security }: ServerParts): Handlers<Routes['triggers']> => ({
  'GET /api/triggers': ({ c, query: { status, limit, cursor } }) => {
    const project = scopeOf(core, c)
    return snapshot(core, c)((db) => listTriggers(core, { project, status, limit, cursor }, db))
  },
  'POST /api/triggers': async ({ c, body }) => {
    const made = await createTrigger(core, projectOf(core, c), body)
    const by = callerName(c.var.caller)
    security(
      'trigger',
      'POST /api/triggers',
      `${shownId(made)} ${made.type} ${String(made.action.type)} made by ${by}`,
      by,
    )
    return made
  },
  'GET /api/triggers/{id}': async ({ c }) => {
    const id = await idOf(core, c)
    return snapshot(core, c)((db) => getTrigger(core, id, db))
  },
  'PATCH /api/triggers/{id}': async ({ c, body }) => {
    const changed = await changeTrigger(core, projectOf(core, c), await idOf(core, c), body)
    const by = callerName(c.var.caller)
    security(
      'trigger',
      'PATCH /api/triggers',
      `${shownId(changed)} ${Object.keys(body).join(', ')} changed by ${by}`,
      by,
    )
    return changed
  },
  'DELETE /api/triggers/{id}': async ({ c }) => {
    await deleteTrigger(core, await idOf(core, c))
    return { ok: true }
  },
  'GET /api/triggers/{id}/fires': async ({ c, query: { limit, cursor } }) => {
    const trigger = await idOf(core, c)
    return snapshot(core, c)((db) => listFires(core, { trigger, limit, cursor }, db))
  },
  'POST /api/triggers/{id}/fire': async ({ c, body }) =>
    fireNow(core, await idOf(core, c), body?.clientId ?? newId('now')),
  'GET /api/daemons': async ({ c }) => {
    const project = scopeOf(core, c)
    return { items: await snapshot(core, c)((db) => listDaemons(core, project, db)) }
  },
  'POST /api/daemons/{agent}/start': async ({ c, params: { agent }, body }) => {
    const daemon = await startDaemon(core, projectOf(core, c), agent, body ?? {})
    const by = callerName(c.var.caller)
    security('daemon', 'POST /api/daemons', `${agent}/${daemon.heartbeat} started by ${by}`, by)
    return daemon
  },
  'POST /api/daemons/{agent}/stop': ({ c, params: { agent }, body }) =>
    stopDaemon(core, projectOf(core, c), agent, body?.heartbeat),
})

/** The log cuts a word that is as long as a secret; the beginning of an id is enough to find the trigger. */
const shownId = ({ id }: Trigger): string => id.slice(0, 16)

/** The trigger that `{id}` names, by its id or a unique beginning of it. */
const idOf = (core: Core, c: Context<HttpEnv>): Promise<TriggerId> => triggerId(core, c.req.param('id') ?? '')
