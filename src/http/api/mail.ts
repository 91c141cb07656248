import { ASK_SECONDS, type InboxReceipt } from '../../contract/answers.ts'
import type { Reply, SendMail } from '../../contract/api.ts'
import { AppError } from '../../contract/errors.ts'
import type { Receipt } from '../../contract/mail.ts'
import type { Routes } from '../../contract/routes/index.ts'
import type { AnswerOf } from '../../contract/routes/route.ts'
import type { Core, Project } from '../../core/base/index.ts'
import { answerAs, getReceipt, sendAs, waitForReply, waitingMail } from '../../core/mail/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { pageOf } from '../paging.ts'
import { answerAsSession, lookAsSession, mailboxOf, sendAsSession, waitForQuestions } from './mail-session.ts'
import { projectOf } from './project.ts'

type Result = AnswerOf<Routes['mail']['POST /api/mail']>

export const mailHandlers = ({ core, closing }: ServerParts): Handlers<Routes['mail']> => ({
  'POST /api/mail': async ({ c, body }) => {
    const { caller } = c.var
    const signal = AbortSignal.any([c.req.raw.signal, closing])
    const result =
      caller.kind === 'session'
        ? await sendAsSession(core, caller, body, signal)
        : await sendAsPerson(core, projectOf(core, c), body, signal)
    c.status(statusFor(result))
    return result
  },
  'GET /api/mail': async ({ c, query: { session, questions, wait, ...paging } }) => {
    const sessionId = await mailboxOf(core, c.var.caller, projectOf(core, c), session)
    if (!questions) return pageOf(await snapshot(core, c)((db) => waitingMail(core, sessionId, db)), paging)
    const signal = AbortSignal.any([c.req.raw.signal, closing])
    return pageOf(await waitForQuestions(core, sessionId, secondsOf(wait), signal), paging)
  },
  'GET /api/mail/{id}': async ({ c, params: { id }, query: { wait } }) => {
    const { caller } = c.var
    const signal = AbortSignal.any([c.req.raw.signal, closing])
    const result =
      caller.kind === 'session'
        ? await lookAsSession(core, caller, id, secondsOf(wait), signal)
        : wait === undefined
          ? { ...(await snapshot(core, c)((db) => getReceipt(core, id, db))), ended: false }
          : await replyTo(core, await getReceipt(core, id), wait, signal)
    c.status(statusFor(result))
    return result
  },
  'POST /api/mail/{id}/answer': async ({ c, params: { id }, body: { content } }) => {
    const { caller } = c.var
    if (caller.kind === 'session') await answerAsSession(core, caller, id, content)
    else await answerAs(core, { kind: 'human', project: projectOf(core, c) }, id, content)
    return { ok: true }
  },
})

/** A question of the person is ordinary mail, and the request waits for the reply. */
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
  if (sent.to === 'session') return sent.receipt
  if (sent.to === 'human') return { inboxId: sent.inboxId }
  throw new AppError('address.unknown', '"*" is an address inside a run.', {
    hint: 'Write to everyone in a run with POST /api/runs/{id}/messages.',
  })
}

const WAIT_SECONDS = 120

const secondsOf = (given: boolean | number | undefined): number => (given === true ? WAIT_SECONDS : Number(given ?? 0))

/** What became of the mail: at once, or after waiting for so many seconds at most. */
export async function replyTo(
  core: Core,
  receipt: Receipt,
  given: boolean | number | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  const seconds = secondsOf(given)
  const { mailId: id, sessionId: about, hint } = receipt
  if (seconds <= 0 || about === undefined) return { ...receipt, ended: false }
  return { ...(await waitForReply(core, { id, about }, seconds, signal)), ...(hint && { hint }) }
}

function statusFor(result: Result): 200 | 202 {
  if ('ended' in result) return result.ended ? 200 : 202
  return 'status' in result && result.status === 'timeout' ? 202 : 200
}
