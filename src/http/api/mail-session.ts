import { type Answer, ASK_SECONDS, type InboxReceipt, type Question } from '../../contract/answers.ts'
import type { Reply, SendMail } from '../../contract/api.ts'
import { AppError } from '../../contract/errors.ts'
import type { MailId, SessionId } from '../../contract/ids.ts'
import { type Core, type Project, until } from '../../core/base/index.ts'
import {
  answerAs,
  askAs,
  getReceipt,
  mailRow,
  partyOf,
  sendAs,
  waitForAnswer,
  waitForReply,
  waitingQuestions,
} from '../../core/mail/index.ts'
import { getSession } from '../../core/sessions/index.ts'
import type { Caller } from '../guard/auth.ts'
import { forbidden, isOwn, type SessionCaller } from '../guard/rights.ts'
import { digest } from '../guard/secrets.ts'

/** Mail for whoever holds a session's token: they write as that session only, and see only what it sent or was sent. */

export async function sendAsSession(
  core: Core,
  caller: SessionCaller,
  { ask, wait, clientId, unattended, questions, ...words }: SendMail,
  signal: AbortSignal,
): Promise<Reply | Answer | InboxReceipt> {
  if (unattended !== undefined || questions !== undefined) throw forbidden('work that nobody attends to')
  if (!ask && wait) throw onlyAsking()
  const party = await partyOf(core, caller.sessionId)
  const mine = { ...words, clientId: clientId && apart(caller, clientId) }
  const { to, content: message, session, followup, interrupt } = words
  if (ask) await party.check('questions', { to, message, session })
  else await party.check('news', { to, message, session, followup, interrupt })
  if (ask) {
    const seconds = typeof wait === 'number' ? Math.max(1, wait) : ASK_SECONDS
    const { receipt, created } = await askAs(core, party, { ...mine, seconds })
    return { ...(await waitForAnswer(core, receipt.mailId, seconds, signal)), created }
  }
  const sent = await sendAs(core, party, mine)
  if (sent.to === 'human') return { inboxId: sent.inboxId }
  // Of many only the first is named: a program that wants to follow each writes to each.
  const receipt = sent.to === 'session' ? sent.receipt : sent.receipts[0]
  if (receipt === undefined) throw new AppError('address.unknown', 'Nobody else is in the run yet.')
  return { ...receipt, ended: false }
}

/** A sender may read the answer to its question, but nothing else that the other session said in its turn. */
export async function lookAsSession(
  core: Core,
  caller: SessionCaller,
  id: MailId,
  seconds: number,
  signal: AbortSignal,
): Promise<Reply | Answer> {
  const mail = await mailRow(core.store.read, id)
  const sent = mail.from_session_id === caller.sessionId
  if (!sent && mail.session_id !== caller.sessionId) throw forbidden('mail of others')
  if (seconds > 0 && sent && mail.ask_until !== null) {
    // A caller that waits for a shorter time than the question does goes away; the question stays open.
    const left = Math.max(0, mail.ask_until - core.clock.now()) / 1000
    return waitForAnswer(core, id, left, AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]))
  }
  if (seconds > 0 && !sent) return waitForReply(core, { id, about: mail.session_id }, seconds, signal)
  return { ...(await getReceipt(core, id)), ended: false }
}

/** Keeps clientIds of sessions apart: the same id used by the person or another session must not lead to their mail. */
export const apart = ({ sessionId }: SessionCaller, clientId: string): string =>
  digest(`${sessionId} ${clientId}`).toString('hex').slice(0, 32)

export async function answerAsSession(core: Core, caller: SessionCaller, id: MailId, content: string): Promise<void> {
  const mail = await mailRow(core.store.read, id)
  if (mail.session_id !== caller.sessionId) throw forbidden('answering a question that another was asked')
  await answerAs(core, await partyOf(core, caller.sessionId), id, content)
}

/** Whose mailbox is meant: a session has only its own. */
export async function mailboxOf(
  core: Core,
  caller: Caller,
  project: Project,
  ref: string | undefined,
): Promise<SessionId> {
  if (caller.kind === 'session') {
    if (isOwn(caller, ref)) return caller.sessionId
    throw forbidden('the mailbox of another session')
  }
  if (ref === undefined) throw whose()
  return (await getSession(core, project.id, ref)).id
}

export async function waitForQuestions(
  core: Core,
  sessionId: SessionId,
  seconds: number,
  signal: AbortSignal,
): Promise<Question[]> {
  const look = async (): Promise<Question[] | undefined> => {
    const waiting = await waitingQuestions(core, sessionId)
    return waiting.length > 0 ? waiting : undefined
  }
  return (await until(core, look, { seconds, signal, about: sessionId })) ?? []
}

const onlyAsking = (): AppError =>
  new AppError('request.invalid', 'The field "wait" of the body needs "ask" here: a session waits for answers only.', {
    hint: 'Send "ask": true to wait for the answer, or leave "wait" out.',
  })

const whose = (): AppError =>
  new AppError('request.invalid', 'The field "session" of the query is missing: whose mail is meant?', {
    hint: 'Give the handle or the id of a session.',
  })
