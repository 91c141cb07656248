import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import { Why } from '../../contract/why.ts'
import { why } from '../../core/why/index.ts'
import type { Env, Face } from '../context.ts'
import { snapshot } from '../live/snapshot.ts'
import { answers, Named, Ref, shape } from '../shapes.ts'
import { projectOf } from './project.ts'

/** Why something does not go on. */
export function whyRoutes({ core }: Face) {
  const get = createRoute({
    method: 'get',
    path: '/why/{ref}',
    tags: ['why'],
    summary: 'What a session, call, task, mail or inbox item does or waits for, what wakes it, who can unblock it',
    request: { params: Ref, query: Named },
    responses: answers(shape('Why', Why)),
  })

  return new OpenAPIHono<Env>().openapi(get, async (c) => {
    const { ref } = c.req.valid('param')
    return c.json(await why(core, projectOf(core, c), ref, (read) => snapshot(core, c, read)), 200)
  })
}
