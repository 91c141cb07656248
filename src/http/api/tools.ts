import type { Routes } from '../../contract/routes/index.ts'
import type { ToolTier } from '../../contract/tools.ts'
import type { Core, Project } from '../../core/base/index.ts'
import { agentFor, findAgent } from '../../core/config/index.ts'
import { rulesFor, toolsInScope } from '../../core/permissions/index.ts'
import { knownTools, offerOf, type Shown, schemaOf } from '../../core/tools/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'
import { projectOf } from './project.ts'

export const toolHandlers = ({ core }: ServerParts): Handlers<Routes['tools']> => ({
  'GET /api/tools': async ({ c, query }) => {
    // A session learns of its own tools by its own route; here it sees what everybody has.
    const isSession = c.var.caller.kind === 'session'
    const { tools, exposure } = isSession
      ? { tools: core.tools, exposure: undefined }
      : await toolsFor(core, projectOf(core, c), query.agent)
    const shown = [...tools.values()].map((tool) => ({ tool, schema: schemaOf(tool) }))
    const { listed } = offerOf(shown, exposure)
    return pageOf(
      shown.map((one) => described(one, listed.includes(one) ? 'listed' : 'loaded')),
      query,
    )
  },
  'GET /api/tools/problems': async ({ c, query }) =>
    pageOf((await toolsFor(core, projectOf(core, c), query.agent)).problems, query),
})

async function toolsFor(core: Core, project: Project, name: string | undefined) {
  if (name === undefined) return { ...(await knownTools(core, { project })), exposure: undefined }
  const agent = await findAgent(core, project, name)
  const definition = agentFor(agent, 'chat')
  const { tools, problems } = await knownTools(core, { project, agent, definition })
  return { tools: toolsInScope(tools.values(), definition), problems, exposure: definition.toolExposure }
}

const described = ({ tool, schema }: Shown, tier: ToolTier) => ({
  ...schema,
  capabilities: tool.capabilities,
  source: tool.origin?.source ?? ('built-in' as const),
  place: tool.origin?.place ?? '',
  tier,
  needsRules: rulesFor(tool),
})
