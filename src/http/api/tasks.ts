import type { SessionId } from '../../contract/ids.ts'
import type { Routes } from '../../contract/routes/index.ts'
import type { CreateTask, Task } from '../../contract/tasks.ts'
import { type Core, readEvents } from '../../core/base/index.ts'
import { standstillHint } from '../../core/inbox/index.ts'
import { getSession } from '../../core/sessions/index.ts'
import { cancelTask, respondTask, retryTask } from '../../core/steering/index.ts'
import { getTask, giveTask, giveTaskAs, listTasks, mayCall, seenTask, taskTree } from '../../core/tasks/index.ts'
import { newId } from '../../lib/ids.ts'
import type { ServerParts } from '../context.ts'
import type { Caller } from '../guard/auth.ts'
import { forbidden, type SessionCaller } from '../guard/rights.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { apart } from './mail-session.ts'
import { projectOf, scopeOf } from './project.ts'

export const taskHandlers = ({ core }: ServerParts): Handlers<Routes['tasks']> => ({
  'POST /api/tasks': async ({ c, body }) => {
    const { caller } = c.var
    const made =
      caller.kind === 'session'
        ? await giveAsSession(core, caller, body)
        : await giveTask(core, projectOf(core, c), body)
    const still = caller.kind === 'session' ? {} : await standstillHint(core)
    return { ...(await getTask(core.store.read, 'human', made.task.id)), ...still }
  },
  'GET /api/tasks': async ({ c, query: { parent, project: _, ...query } }) => {
    const { caller } = c.var
    const own = caller.kind === 'session' ? { project: caller.project.id, below: caller.sessionId } : undefined
    const scope = own ?? { project: scopeOf(core, c) }
    const above = await aboveOf(core, () => projectOf(core, c).id, parent)
    return snapshot(core, c)((db) => listTasks(core, { ...query, ...scope, ...above }, db))
  },
  'GET /api/tasks/{id}': ({ c, params: { id } }) => snapshot(core, c)((db) => getTask(db, whoIs(c.var.caller), id)),
  'DELETE /api/tasks/{id}': async ({ c, params: { id } }) => {
    await mayDo(core, c.var.caller, 'task_cancel', { taskId: id })
    await cancelTask(core, whoIs(c.var.caller), id)
    return taskNow(core, id)
  },
  'POST /api/tasks/{id}/respond': async ({ c, params: { id }, body: { message } }) => {
    await mayDo(core, c.var.caller, 'task_respond', { taskId: id, message })
    const { caller } = c.var
    const by = caller.kind === 'session' ? { sessionId: caller.sessionId, callId: newId('call') } : 'human'
    await respondTask(core, by, id, message)
    return taskNow(core, id)
  },
  'POST /api/tasks/{id}/retry': async ({ params: { id }, body = {} }) => {
    await retryTask(core, id, body)
    return taskNow(core, id)
  },
  'GET /api/tasks/{id}/tree': ({ c, params: { id } }) =>
    snapshot(core, c)((db) => taskTree(db, whoIs(c.var.caller), id)),
  'GET /api/tasks/{id}/events': async ({ c, params: { id }, query: { after, limit } }) => {
    await seenTask(core.store.read, whoIs(c.var.caller), id)
    const { items, seq } = await readEvents(core, { taskId: id, after, limit })
    return { items, seq }
  },
})

const whoIs = (caller: Caller): SessionId | 'human' => (caller.kind === 'session' ? caller.sessionId : 'human')

const taskNow = (core: Core, id: string): Promise<Task> => getTask(core.store.read, 'human', id)

const mayDo = async (core: Core, caller: Caller, tool: string, input: Record<string, unknown>): Promise<unknown> =>
  caller.kind === 'session' ? mayCall(core, caller.sessionId, tool, input) : undefined

/** The same clientId again finds the task of the first request, as the same call of the session would. */
async function giveAsSession(core: Core, caller: SessionCaller, { clientId, ...body }: CreateTask) {
  const { model, workspace, unattended, questions, ...order } = body
  const decided = Object.entries({ model, workspace, unattended, questions }).find(([, value]) => value !== undefined)
  if (decided) throw forbidden(`"${decided[0]}" of a task, which a person decides`)
  const by = await mayCall(core, caller.sessionId, 'task_create', order)
  return giveTaskAs(core, { ...by, callId: clientId === undefined ? newId('call') : apart(caller, clientId) }, order)
}

/** What is above the tasks of a list: a task, or the session that gave them. */
/** Only a handle needs a project; a list over all of them may name a task. */
async function aboveOf(core: Core, projectId: () => string, parent: string | undefined) {
  if (parent === undefined) return {}
  if (parent.startsWith('task_')) return { parentTask: parent }
  return { owner: (await getSession(core, projectId(), parent)).id }
}
