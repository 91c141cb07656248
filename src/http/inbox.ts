import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { InboxAnswer, InboxItem, InboxStatus } from '../contract/inbox.ts'
import { answerInbox, dismissInbox, listInbox } from '../core/inbox.ts'
import { nameOf } from './auth.ts'
import type { Env, Face } from './face.ts'
import { scopeOf } from './project.ts'
import { answers, body, page, pageQuery, shape } from './shapes.ts'
import { snapshot } from './snapshot.ts'

const tags = ['inbox']
const ItemShape = shape('InboxItem', InboxItem)
const Id = z.object({ id: z.string() })

/** What waits for the person, over all projects unless one is named. */
export function inboxRoutes({ core, security }: Face) {
  const list = createRoute({
    method: 'get',
    path: '/inbox',
    tags,
    summary: 'Questions, approvals, messages and notices, newest first',
    request: { query: z.object({ ...pageQuery, status: InboxStatus.optional() }) },
    responses: answers(page(ItemShape)),
  })
  const answer = createRoute({
    method: 'post',
    path: '/inbox/{id}/answer',
    tags,
    summary: 'Answer a question or decide an approval, once',
    request: { params: Id, body: body(InboxAnswer) },
    responses: answers(ItemShape),
  })
  const dismiss = createRoute({
    method: 'post',
    path: '/inbox/{id}/dismiss',
    tags,
    summary: 'Put an item away without an answer',
    request: { params: Id },
    responses: answers(ItemShape),
  })

  return new OpenAPIHono<Env>()
    .openapi(list, async (c) => {
      const { status, limit, cursor } = c.req.valid('query')
      const project = scopeOf(core, c, '*')
      return c.json(await snapshot(core, c, (db) => listInbox(core, { project, status, limit, cursor }, db)), 200)
    })
    .openapi(answer, async (c) => {
      const { id } = c.req.valid('param')
      const given = c.req.valid('json')
      const item = await answerInbox(core, id, given, nameOf(c.var.caller))
      if ('decision' in given)
        security('approval', 'POST /api/inbox/answer', `${id}: ${given.decision} by ${nameOf(c.var.caller)}`)
      return c.json(item, 200)
    })
    .openapi(dismiss, async (c) => c.json(await dismissInbox(core, c.req.valid('param').id, nameOf(c.var.caller)), 200))
}
