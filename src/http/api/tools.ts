import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import type { Tool } from '../../core/base/index.ts'
import { rulesFor, schemaOf } from '../../core/permissions/index.ts'
import type { Env, Face } from '../context.ts'
import { answers, page, pageOf, shape, Whole } from '../shapes.ts'

const ToolShape = shape(
  'Tool',
  z.strictObject({
    name: z.string(),
    description: z.string(),
    capabilities: z.array(z.string()),
    inputSchema: z.record(z.string(), z.unknown()),
    /** Without these rules a model is not shown the tool, or those of its fields. */
    needsRules: z.array(z.string()),
  }),
)

/** Every tool there is; a session has those its agent's definition gives it. */
export function toolRoutes({ core }: Face) {
  const list = createRoute({
    method: 'get',
    path: '/tools',
    tags: ['tools'],
    summary: 'The tools with what they need and take',
    request: { query: Whole },
    responses: answers(page(ToolShape)),
  })

  return new OpenAPIHono<Env>().openapi(list, (c) =>
    c.json(pageOf([...core.tools.values()].map(described), c.req.valid('query')), 200),
  )
}

const described = (tool: Tool): z.infer<typeof ToolShape> => ({
  ...schemaOf(tool),
  capabilities: [...tool.capabilities],
  needsRules: rulesFor(tool),
})
