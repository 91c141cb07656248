import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { iso } from '../../lib/clock.ts'
import type { Env, Face } from '../context.ts'
import { answers, page, pageOf, shape, Whole } from '../shapes.ts'
import { projectOf } from './project.ts'

const AccountShape = shape(
  'Account',
  z.strictObject({
    provider: z.string(),
    name: z.string(),
    usable: z.boolean(),
    reason: z.string().optional(),
    exhaustedUntil: z.iso.datetime().optional(),
    waiting: z.int(),
  }),
)

/** Which credentials there are and whether they can be used; never a key. */
export function accountRoutes({ core }: Face) {
  const list = createRoute({
    method: 'get',
    path: '/accounts',
    tags: ['models'],
    summary: 'The accounts of each provider, whether they can be used, and how many requests wait for them',
    request: { query: Whole },
    responses: answers(page(AccountShape)),
  })

  return new OpenAPIHono<Env>().openapi(list, async (c) => {
    const accounts = await core.models.accounts(projectOf(core, c))
    const items = accounts.map(({ exhaustedUntil, ...account }) => ({
      ...account,
      ...(exhaustedUntil === undefined ? {} : { exhaustedUntil: iso(exhaustedUntil) }),
    }))
    return c.json(pageOf(items, c.req.valid('query')), 200)
  })
}
