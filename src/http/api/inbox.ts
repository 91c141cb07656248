import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { InboxAnswer, InboxItem, InboxStatus } from '../../contract/inbox.ts'
import { answerInbox, dismissInbox, listInbox } from '../../core/steering/index.ts'
import type { Env, Face } from '../context.ts'
import { type Caller, nameOf } from '../guard/auth.ts'
import { snapshot } from '../live/snapshot.ts'
import { answers, body, page, pageQuery, shape } from '../shapes.ts'
import { scopeOf } from './project.ts'

const tags = ['inbox']
const ItemShape = shape('InboxItem', InboxItem)
const Id = z.object({ id: z.string() })

/** What waits for the person, over all projects unless one is named. */
export function inboxRoutes(face: Face) {
  const { core } = face
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
      return c.json(await answerItem(face, c.var.caller, id, c.req.valid('json')), 200)
    })
    .openapi(dismiss, async (c) => c.json(await dismissInbox(core, c.req.valid('param').id, nameOf(c.var.caller)), 200))
}

/** The person's answer; a decision about what an agent may do is also a line in the security log. */
export async function answerItem(face: Face, caller: Caller, id: string, answer: InboxAnswer): Promise<InboxItem> {
  const item = await answerInbox(face.core, id, answer, nameOf(caller))
  if ('decision' in answer) face.security('approval', 'inbox', `${id}: ${answer.decision} by ${nameOf(caller)}`)
  return item
}
