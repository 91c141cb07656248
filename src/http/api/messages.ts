import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { EditMessage, SendMessage } from '../../contract/api.ts'
import { Message } from '../../contract/messages.ts'
import { deliver } from '../../core/mail/index.ts'
import { deleteMessage, editMessage, listMessages } from '../../core/sessions/index.ts'
import type { Env, Face } from '../context.ts'
import { isPerson } from '../guard/rights.ts'
import { snapshot } from '../live/snapshot.ts'
import { answers, body, Named, page, pageQuery, Ref, shape } from '../shapes.ts'
import { replies, replyTo } from './mail.ts'
import { idOf } from './sessions.ts'

const tags = ['messages']
const MessageShape = shape('Message', Message)
const position = z.coerce.number().int().min(0).optional()

/** A session's log, and the person's own lines in it. */
export function messageRoutes({ core, closing }: Face) {
  const path = '/sessions/{ref}/messages'
  const list = createRoute({
    method: 'get',
    path,
    tags,
    summary: 'The log, oldest first, from behind a position',
    request: { params: Ref, query: z.object({ ...pageQuery, after: position, cursor: position }) },
    responses: answers(page(MessageShape)),
  })
  const post = createRoute({
    method: 'post',
    path,
    tags,
    summary: 'Say something; with "wait" the answer of the turn that took it',
    request: { params: Ref, query: Named, body: body(SendMessage) },
    responses: replies,
  })
  const one = { params: Ref.extend({ id: z.string() }), query: Named }
  const patch = createRoute({
    method: 'patch',
    path: `${path}/{id}`,
    tags,
    summary: 'Edit a message of an idle session',
    request: { ...one, body: body(EditMessage) },
    responses: answers(MessageShape),
  })
  const remove = createRoute({
    method: 'delete',
    path: `${path}/{id}`,
    tags,
    summary: 'Delete a message of an idle session; a tombstone stays',
    request: one,
    responses: answers(MessageShape),
  })

  return new OpenAPIHono<Env>()
    .openapi(list, async (c) => {
      const { after = 0, cursor = after, limit } = c.req.valid('query')
      const sessionId = await idOf(core, c)
      return c.json(
        await snapshot(core, c, (db) =>
          listMessages(core, sessionId, { after: cursor, limit, forPeople: isPerson(c.var.caller) }, db),
        ),
        200,
      )
    })
    .openapi(post, async (c) => {
      const { wait, ...message } = c.req.valid('json')
      const receipt = await deliver(core, { ...message, to: await idOf(core, c), from: { kind: 'human' } })
      const reply = await replyTo(core, receipt, wait, AbortSignal.any([c.req.raw.signal, closing]))
      return c.json(reply, reply.ended ? 200 : 202)
    })
    .openapi(patch, async (c) =>
      c.json(await editMessage(core, await idOf(core, c), c.req.valid('param').id, c.req.valid('json').text), 200),
    )
    .openapi(remove, async (c) => c.json(await deleteMessage(core, await idOf(core, c), c.req.valid('param').id), 200))
}
