import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import type { Env, Face } from '../context.ts'
import { answers, Named, page, pageOf, shape, Whole } from '../shapes.ts'
import { projectOf } from './project.ts'

const ModelShape = shape(
  'Model',
  z.strictObject({
    name: z.string(),
    provider: z.string(),
    usable: z.boolean(),
    reason: z.string().optional(),
    contextWindow: z.number().optional(),
    isDefault: z.boolean().optional(),
  }),
)

/** What can be named as `provider/model` in the project. */
export function modelRoutes({ core }: Face) {
  const list = createRoute({
    method: 'get',
    path: '/models',
    tags: ['models'],
    summary: 'The models, and why not where one cannot be used',
    request: { query: Whole },
    responses: answers(page(ModelShape)),
  })

  const update = createRoute({
    method: 'post',
    path: '/models/update',
    tags: ['models'],
    summary: 'Fetch the newest prices and context windows; the only request that leaves this machine for them',
    request: { query: Named },
    responses: answers(z.strictObject({ models: z.int(), from: z.string() })),
  })

  return new OpenAPIHono<Env>()
    .openapi(list, async (c) => c.json(pageOf(await core.models.list(projectOf(core, c)), c.req.valid('query')), 200))
    .openapi(update, async (c) => c.json(await core.models.updateCatalogue(), 200))
}
