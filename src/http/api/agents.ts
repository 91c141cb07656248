import type { Agent } from '../../contract/agents.ts'
import type { Routes } from '../../contract/routes/index.ts'
import type { Core } from '../../core/base/index.ts'
import { deleteAgent, findAgent, importAgents, listAgents, putAgent } from '../../core/config/index.ts'
import { partyOf } from '../../core/mail/index.ts'
import { previewAgent } from '../../core/turns/index.ts'
import type { ServerParts } from '../context.ts'
import { callerName } from '../guard/auth.ts'
import type { SessionCaller } from '../guard/rights.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'
import { projectOf } from './project.ts'

export const agentHandlers = ({ core, security }: ServerParts): Handlers<Routes['agents']> => ({
  'GET /api/agents': async ({ c, query }) => {
    const { caller } = c.var
    const agents = await listAgents(core, projectOf(core, c))
    return pageOf(caller.kind === 'session' ? await reachable(core, caller, agents) : agents, query)
  },
  'GET /api/agents/{name}': async ({ c, params: { name } }) => {
    const project = projectOf(core, c)
    // A broken agent is shown too, with its problems; only nobody can talk to it.
    const found = (await listAgents(core, project)).find((agent) => agent.name === name)
    return found ?? findAgent(core, project, name)
  },
  'PUT /api/agents/{name}': async ({ c, params: { name }, body }) => {
    const agent = await putAgent(core, projectOf(core, c), name, body)
    const by = callerName(c.var.caller)
    security('agent', 'PUT /api/agents', `${name} (${agent.source}) written by ${by}`, by)
    return agent
  },
  'POST /api/agents/{name}/preview': ({ c, params: { name }, body }) =>
    previewAgent(core, projectOf(core, c), name, body),
  'POST /api/agents/import': async ({ c, body = {} }) => {
    const items = await importAgents(core, projectOf(core, c), body)
    const written = items.filter(({ outcome }) => outcome === 'written').map(({ name }) => name)
    const by = callerName(c.var.caller)
    if (written.length > 0) security('agent', 'POST /api/agents/import', `${written.join(', ')} written by ${by}`, by)
    return { items }
  },
  'DELETE /api/agents/{name}': async ({ c, params: { name } }) => {
    await deleteAgent(core, projectOf(core, c), name)
    const by = callerName(c.var.caller)
    security('agent', 'DELETE /api/agents', `${name} deleted by ${by}`, by)
    return { ok: true }
  },
})

/** The agents that a session may write to, without their definitions, which may hold keys. */
async function reachable(core: Core, caller: SessionCaller, agents: readonly Agent[]): Promise<Agent[]> {
  const party = await partyOf(core, caller.sessionId)
  return agents
    .filter(({ name, broken }) => !broken && party.mayReach(name))
    .map((agent) => ({
      ...agent,
      folder: '',
      definition: {},
      prose: { agent: '', soul: '', goal: '' },
      hash: '',
      problems: [],
    }))
}
