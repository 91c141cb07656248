import type { Routes } from '../../contract/routes/index.ts'
import type { Core, McpOwner, Project } from '../../core/base/index.ts'
import { findAgent } from '../../core/config/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'
import { projectOf } from './project.ts'

export const mcpHandlers = ({ core }: ServerParts): Handlers<Routes['mcp']> => ({
  'GET /api/mcp': async ({ c, query }) =>
    pageOf(await core.mcp.list(core, await ownerOf(core, projectOf(core, c), query.agent)), query),
  'POST /api/mcp/{name}/test': async ({ c, params: { name }, query }) =>
    core.mcp.test(core, await ownerOf(core, projectOf(core, c), query.agent), name),
  'GET /api/mcp/{name}/log': async ({ c, params: { name }, query }) => ({
    text: await core.mcp.log(core, await ownerOf(core, projectOf(core, c), query.agent), name),
  }),
  'POST /api/mcp/{name}/login': async ({ c, params: { name }, query, body }) =>
    core.mcp.login(core, await ownerOf(core, projectOf(core, c), query.agent), name, body.redirectUrl),
  'POST /api/mcp/{name}/login/finish': async ({ c, params: { name }, query, body }) =>
    core.mcp.finishLogin(core, await ownerOf(core, projectOf(core, c), query.agent), name, body),
  'DELETE /api/mcp/{name}/login': async ({ c, params: { name }, query }) =>
    core.mcp.logout(core, await ownerOf(core, projectOf(core, c), query.agent), name),
})

const ownerOf = async (core: Core, project: Project, agent: string | undefined): Promise<McpOwner> => ({
  project,
  ...(agent !== undefined && { agent: await findAgent(core, project, agent) }),
})
