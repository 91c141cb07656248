import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { Answer, AnswerMail, ASK_SECONDS, InboxReceipt, Question } from '../../contract/answers.ts'
import { Reply, SendMail } from '../../contract/api.ts'
import { Mail, type Receipt } from '../../contract/mail.ts'
import type { Core, Project } from '../../core/base/index.ts'
import { answerAs, getReceipt, sendAs, waitForReply, waitingMail } from '../../core/mail/index.ts'
import type { Env, Face } from '../context.ts'
import { snapshot } from '../live/snapshot.ts'
import { answers, body, flag, json, Ok, page, pageOf, projectQuery, shape, wholeQuery } from '../shapes.ts'
import { answerAsSession, lookAsSession, mailboxOf, sendAsSession, waitForQuestions } from './mail-session.ts'
import { projectOf } from './project.ts'

const tags = ['mail']

export const ReplyShape = shape('Reply', Reply)

/** 200 when the turn ended, 202 when it goes on or nobody waited. */
export const replies = { 202: json(ReplyShape, 'Accepted; the turn has not ended'), ...answers(ReplyShape) }

/** A session that asks gets an answer; one that writes to the person, the item in their inbox. */
const Result = z.union([ReplyShape, shape('Answer', Answer), InboxReceipt])
const results = { 202: json(Result, 'Accepted; there is no answer yet'), ...answers(Result) }
type Result = z.infer<typeof Result>

const wait = z.union([z.stringbool(), z.coerce.number().min(0).max(600)]).optional()
const Id = z.object({ id: z.string() })

export function mailRoutes({ core, closing }: Face) {
  const post = createRoute({
    method: 'post',
    path: '/mail',
    tags,
    summary: 'Send to an address, as the person or as the session of the token; with "wait" or "ask" what came of it',
    request: { body: body(SendMail) },
    responses: results,
  })
  const list = createRoute({
    method: 'get',
    path: '/mail',
    tags,
    summary: 'The waiting mail of a session; with "questions" what it is asked, and "wait" until there is something',
    request: { query: z.object({ ...wholeQuery, session: z.string().optional(), questions: flag, wait }) },
    responses: answers(page(z.union([shape('Mail', Mail), shape('Question', Question)]))),
  })
  const get = createRoute({
    method: 'get',
    path: '/mail/{id}',
    tags,
    summary: 'Where a mail is; with "wait" until the turn that took it ends',
    request: { params: Id, query: z.object({ ...projectQuery, wait }) },
    responses: results,
  })
  const answer = createRoute({
    method: 'post',
    path: '/mail/{id}/answer',
    tags,
    summary: 'Answer a question in place of the session it was asked of',
    request: { params: Id, query: z.object(projectQuery), body: body(AnswerMail) },
    responses: answers(Ok),
  })

  return new OpenAPIHono<Env>()
    .openapi(post, async (c) => {
      const { caller } = c.var
      const signal = AbortSignal.any([c.req.raw.signal, closing])
      const mail = c.req.valid('json')
      const result =
        caller.kind === 'session'
          ? await sendAsSession(core, caller, mail, signal)
          : await sendAsPerson(core, projectOf(core, c), mail, signal)
      return c.json(result, statusFor(result))
    })
    .openapi(list, async (c) => {
      const { session, questions, wait: given, ...paging } = c.req.valid('query')
      const sessionId = await mailboxOf(core, c.var.caller, projectOf(core, c), session)
      if (!questions)
        return c.json(pageOf(await snapshot(core, c, (db) => waitingMail(core, sessionId, db)), paging), 200)
      const signal = AbortSignal.any([c.req.raw.signal, closing])
      return c.json(pageOf(await waitForQuestions(core, sessionId, secondsOf(given), signal), paging), 200)
    })
    .openapi(get, async (c) => {
      const { caller } = c.var
      const { id } = c.req.valid('param')
      const { wait: given } = c.req.valid('query')
      const signal = AbortSignal.any([c.req.raw.signal, closing])
      const result =
        caller.kind === 'session'
          ? await lookAsSession(core, caller, id, secondsOf(given), signal)
          : given === undefined
            ? { ...(await snapshot(core, c, (db) => getReceipt(core, id, db))), ended: false }
            : await replyTo(core, await getReceipt(core, id), given, signal)
      return c.json(result, statusFor(result))
    })
    .openapi(answer, async (c) => {
      const { caller } = c.var
      const { id } = c.req.valid('param')
      const { content } = c.req.valid('json')
      if (caller.kind === 'session') await answerAsSession(core, caller, id, content)
      else await answerAs(core, { kind: 'human', project: projectOf(core, c) }, id, content)
      return c.json({ ok: true as const }, 200)
    })
}

/** The person's question is an ordinary mail whose reply is waited for. */
async function sendAsPerson(core: Core, project: Project, mail: SendMail, signal: AbortSignal): Promise<Result> {
  const { wait: given, ask, ...words } = mail
  const sent = await send(core, project, words)
  return 'inboxId' in sent ? sent : replyTo(core, sent, given ?? (ask ? ASK_SECONDS : undefined), signal)
}

/** Mail of the person to whatever the address names. */
export async function send(
  core: Core,
  project: Project,
  words: Omit<SendMail, 'wait' | 'ask'>,
): Promise<Receipt | InboxReceipt> {
  const sent = await sendAs(core, { kind: 'human', project }, words)
  return sent.to === 'session' ? sent.receipt : { inboxId: sent.inboxId }
}

const WAIT_SECONDS = 120

export const secondsOf = (given: boolean | number | undefined): number =>
  given === true ? WAIT_SECONDS : Number(given ?? 0)

/** What became of it: at once, or after at most so many seconds. */
export async function replyTo(
  core: Core,
  receipt: Receipt,
  given: boolean | number | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  const seconds = secondsOf(given)
  return seconds > 0 ? waitForReply(core, receipt.mailId, seconds, signal) : { ...receipt, ended: false }
}

function statusFor(result: Result): 200 | 202 {
  if ('ended' in result) return result.ended ? 200 : 202
  return 'status' in result && result.status === 'timeout' ? 202 : 200
}
