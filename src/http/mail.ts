import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { Reply, SendMail } from '../contract/api.ts'
import { Mail, type Receipt } from '../contract/mail.ts'
import type { From } from '../contract/messages.ts'
import { resolveAddress } from '../core/addresses.ts'
import type { Core, Project } from '../core/core.ts'
import { deliver, getReceipt, waitingMail } from '../core/mail.ts'
import { waitForReply } from '../core/replies.ts'
import { getSession } from '../core/sessions/operations.ts'
import type { Caller } from './auth.ts'
import type { Env, Face } from './face.ts'
import { projectOf } from './project.ts'
import { answers, body, json, page, projectQuery, shape } from './shapes.ts'

const tags = ['mail']

export const ReplyShape = shape('Reply', Reply)

/** 200 when the turn ended, 202 when it goes on or nobody waited. */
export const replies = { 202: json(ReplyShape, 'Accepted; the turn has not ended'), ...answers(ReplyShape) }

export function mailRoutes({ core, closing }: Face) {
  const post = createRoute({
    method: 'post',
    path: '/mail',
    tags,
    summary: 'Send to an address as the person; with "wait" the answer of the turn that took it',
    request: { body: body(SendMail) },
    responses: replies,
  })
  const list = createRoute({
    method: 'get',
    path: '/mail',
    tags,
    summary: 'The waiting mail of a session',
    request: { query: z.object({ ...projectQuery, session: z.string() }) },
    responses: answers(page(shape('Mail', Mail))),
  })
  const get = createRoute({
    method: 'get',
    path: '/mail/{id}',
    tags,
    summary: 'Where a mail is; with "wait" until the turn that took it ends',
    request: {
      params: z.object({ id: z.string() }),
      query: z.object({
        ...projectQuery,
        wait: z.union([z.stringbool(), z.coerce.number().min(0).max(600)]).optional(),
      }),
    },
    responses: replies,
  })

  return new OpenAPIHono<Env>()
    .openapi(post, async (c) => {
      const { wait, ...mail } = c.req.valid('json')
      const receipt = await send(core, c.var.caller, projectOf(core, c), mail)
      const reply = await replyTo(core, receipt, wait, AbortSignal.any([c.req.raw.signal, closing]))
      return c.json(reply, reply.ended ? 200 : 202)
    })
    .openapi(list, async (c) => {
      const session = await getSession(core, projectOf(core, c).id, c.req.valid('query').session)
      return c.json({ items: await waitingMail(core, session.id) }, 200)
    })
    .openapi(get, async (c) => {
      const receipt = await getReceipt(core, c.req.valid('param').id)
      const { wait } = c.req.valid('query')
      const reply = await replyTo(core, receipt, wait, AbortSignal.any([c.req.raw.signal, closing]))
      return c.json(reply, reply.ended ? 200 : 202)
    })
}

/** Mail of the person to whatever the address names. */
export async function send(
  core: Core,
  caller: Caller,
  project: Project,
  mail: Omit<SendMail, 'wait'>,
): Promise<Receipt> {
  const { to, session, ...draft } = mail
  const { sessionId } = await resolveAddress(core, project, to, session, mail.clientId)
  return deliver(core, { ...draft, to: sessionId, from: senderOf(caller) })
}

export function senderOf(_caller: Caller): From {
  return { kind: 'human' }
}

const WAIT_SECONDS = 120

/** What became of it: at once, or after at most so many seconds. */
export async function replyTo(
  core: Core,
  receipt: Receipt,
  wait: boolean | number | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  const seconds = wait === true ? WAIT_SECONDS : Number(wait ?? 0)
  return seconds > 0 ? waitForReply(core, receipt.mailId, seconds, signal) : { ...receipt, ended: false }
}
