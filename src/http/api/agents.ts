import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { Agent } from '../../contract/agents.ts'
import { PutAgent } from '../../contract/api.ts'
import type { Core } from '../../core/base/index.ts'
import { deleteAgent, findAgent, listAgents, putAgent } from '../../core/config/index.ts'
import { partyOf } from '../../core/mail/index.ts'
import type { Env, Face } from '../context.ts'
import type { SessionCaller } from '../guard/rights.ts'
import { answers, body, Named, Ok, page, pageOf, shape, Whole } from '../shapes.ts'
import { projectOf } from './project.ts'

const tags = ['agents']
const AgentShape = shape('Agent', Agent)
const Name = z.object({ name: z.string().max(64) })

/** Definitions on disk, with their problems. */
export function agentRoutes({ core }: Face) {
  const list = createRoute({
    method: 'get',
    path: '/agents',
    tags,
    summary: 'The agents of the project, broken ones with what is wrong',
    request: { query: Whole },
    responses: answers(page(AgentShape)),
  })
  const get = createRoute({
    method: 'get',
    path: '/agents/{name}',
    tags,
    summary: 'One agent',
    request: { params: Name, query: Named },
    responses: answers(AgentShape),
  })
  const put = createRoute({
    method: 'put',
    path: '/agents/{name}',
    tags,
    summary: 'Write a definition, new or changed',
    request: { params: Name, query: Named, body: body(PutAgent) },
    responses: answers(AgentShape),
  })
  const remove = createRoute({
    method: 'delete',
    path: '/agents/{name}',
    tags,
    summary: 'Delete a definition; its sessions stay',
    request: { params: Name, query: Named },
    responses: answers(Ok),
  })

  return new OpenAPIHono<Env>()
    .openapi(list, async (c) => {
      const { caller } = c.var
      const agents = await listAgents(core, projectOf(core, c))
      const seen = caller.kind === 'session' ? await reachable(core, caller, agents) : agents
      return c.json(pageOf(seen, c.req.valid('query')), 200)
    })
    .openapi(get, async (c) => {
      const { name } = c.req.valid('param')
      const project = projectOf(core, c)
      // A broken one is shown too, with its problems; it only cannot be talked to.
      const found = (await listAgents(core, project)).find((agent) => agent.name === name)
      return c.json(found ?? (await findAgent(core, project, name)), 200)
    })
    .openapi(put, async (c) =>
      c.json(await putAgent(core, projectOf(core, c), c.req.valid('param').name, c.req.valid('json')), 200),
    )
    .openapi(remove, async (c) => {
      await deleteAgent(core, projectOf(core, c), c.req.valid('param').name)
      return c.json({ ok: true as const }, 200)
    })
}

/** Whom a session may write to. How they are made is not its business: a definition may hold keys. */
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
