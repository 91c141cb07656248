import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { Cost, CostBy } from '../../contract/cost.ts'
import { costs } from '../../core/spending/index.ts'
import type { Env, Face } from '../context.ts'
import { snapshotAside } from '../live/snapshot.ts'
import { answers, page, pageOf, shape, wholeQuery } from '../shapes.ts'
import { scopeOf } from './project.ts'

/** What was spent, by agent, model or day. */
export function costRoutes({ core }: Face) {
  const list = createRoute({
    method: 'get',
    path: '/cost',
    tags: ['models'],
    summary: 'Tokens and cost by agent, model or day; what has no known price is counted apart',
    request: {
      query: z.object({
        ...wholeQuery,
        by: CostBy.default('day'),
        since: z.iso.datetime({ offset: true }).or(z.iso.date()).optional().describe('A day or a moment'),
      }),
    },
    responses: answers(page(shape('Cost', Cost))),
  })

  return new OpenAPIHono<Env>().openapi(list, async (c) => {
    const { by, since, ...paging } = c.req.valid('query')
    const query = { project: scopeOf(core, c, '*'), by, since: momentOf(since) }
    const items = await snapshotAside(core, c, (db) => costs(core, query, db))
    return c.json(pageOf(items, paging), 200)
  })
}

/** A bare day begins where the server's day begins. */
const momentOf = (since: string | undefined): number | undefined =>
  since === undefined ? undefined : Date.parse(since.length === 10 ? `${since}T00:00:00` : since)
