import type { Routes } from '../../contract/routes/index.ts'
import type { Tool } from '../../core/base/index.ts'
import { rulesFor, schemaOf } from '../../core/permissions/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'

export const toolHandlers = ({ core }: ServerParts): Handlers<Routes['tools']> => ({
  'GET /api/tools': ({ query }) => pageOf([...core.tools.values()].map(described), query),
})

const described = (tool: Tool) => ({
  ...schemaOf(tool),
  capabilities: tool.capabilities,
  needsRules: rulesFor(tool),
})
