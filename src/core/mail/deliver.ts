import { AppError } from '../../contract/errors.ts'
import type { MailId, SessionId } from '../../contract/ids.ts'
import { MAIL_LIMIT, MAILBOX_LIMIT, type Mail, type Receipt } from '../../contract/mail.ts'
import { newId } from '../../lib/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { askBetween } from '../../store/asks.ts'
import { openCalls } from '../../store/calls.ts'
import { settleInbox } from '../../store/inbox.ts'
import {
  countWaitingMail,
  findMail,
  findMailByClient,
  insertMail,
  selectWaitingMail,
  toMail,
  toReceipt,
} from '../../store/mail.ts'
import { lockProject } from '../../store/projects.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { Db, MailRow, SessionRow } from '../../store/tables.ts'
import { insertTimer } from '../../store/timers.ts'
import { aboutSession, type Core, leaveErrand, onSession, type Tx } from '../base/index.ts'
import { waitsForMoney } from '../budgets/index.ts'
import { standstillHint } from '../inbox/index.ts'
import { isOver, keepOpen, raise, reopen, want } from '../sessions/index.ts'
import { answering, endWaits, giveAnswer, interruptWaits, refuseCycle, said } from '../waits/index.ts'
import { attend, releaseSuppressed, stopChain } from './chains.ts'
import type { MailDraft } from './draft.ts'
import { lookAtInvocation } from './invoked.ts'
import { countInRun } from './members.ts'
import { type Handling, handlingOf, isPending, spentFor } from './outcome.ts'
import { newChainId } from './unattended.ts'

/** The one door to a session: one transaction stores the mail, decides on it and marks the session wanted. */
export async function deliver(core: Core, draft: MailDraft): Promise<Receipt> {
  const hint = await lookAtInvocation(core, draft)
  const receipt = await onSession(core, draft.to, 'mail.deliver', async (tx, session) =>
    withHandle(tx.db, session.project_id, await post(core, tx, session, draft)),
  )
  // Mail that only queues wakes too: the session may have gone idle since.
  core.wake(draft.to)
  const still = draft.from.kind === 'human' ? (await standstillHint(core)).hint : undefined
  const hints = [hint, still].filter((one) => one !== undefined)
  return hints.length === 0 ? receipt : { ...receipt, hint: hints.join(' ') }
}

/** Delivers inside a transaction that has locked the session's row. The receipt does not name the session's handle. */
export async function post(core: Core, tx: Tx, session: SessionRow, draft: MailDraft): Promise<Receipt> {
  const earlier = draft.clientId && (await findMailByClient(tx.db, session.project_id, draft.clientId))
  if (earlier) return toReceipt(earlier)
  await checkDeliverable(tx, session, draft)
  if (draft.ask) await checkAsk(tx, session, draft)
  const open = session.status === 'waiting' ? await openCalls(tx.db, session.id) : []
  const spent = await spentFor(tx, session, draft)
  const pending = await isPending(tx, session)
  const answers = await answersAsk(tx, session, draft)
  const onBudget = open.length === 0 && (await waitsForMoney(tx.db, session))
  const handling = handlingOf(session, draft, open, { spent, pending, answers, onBudget })
  const row = await mailRowFor(tx, session, draft, handling)
  if (spent !== undefined && handling.outcome === 'suppressed') {
    await stopChain(tx, session, { chain: { id: row.chain_id, hops: row.hops }, why: spent })
    // A question that wakes nobody would only run out of time.
    if (draft.ask) return { ...toReceipt(row), state: 'undeliverable' }
  }
  if (handling.outcome === 'started' || handling.outcome === 'queued') keepOpen(session)
  if (draft.from.kind === 'human' && session.next_mail > 1) await releaseSuppressed(tx, session)
  await store(tx, session, row, draft)
  if (draft.questions !== undefined && draft.questions !== session.questions) {
    session.questions = draft.questions
    tx.record('session.updated', aboutSession(session), { changed: { questions: draft.questions } })
  }
  if (draft.from.kind === 'agent') await countInRun(tx, session)
  await follow(core, tx, session, row, handling)
  if (session.title === '') {
    session.title = shorten(tx.mask(draft.content).trim().split('\n', 1)[0]!, 60)
    tx.record('session.updated', aboutSession(session), { changed: { title: session.title } })
  }
  tx.record('mail.accepted', aboutSession(session), {
    mailId: row.id,
    outcome: handling.outcome,
    from: draft.from.kind,
  })
  return toReceipt(row)
}

/**
 * The first mail of a session that is made with its task: nobody can have sent it before, and it waits for a slot as the
 * task does. The session is written by `add`, once, with the mail counted.
 */
export async function postFirst(
  tx: Tx,
  session: SessionRow,
  draft: MailDraft,
  add: () => Promise<void>,
): Promise<void> {
  await checkDeliverable(tx, session, draft)
  session.next_mail += 1
  want(tx, session)
  await add()
  const row = await mailRowFor(tx, session, draft, { outcome: 'queued' })
  await insertMail(tx.db, { ...row, position: session.next_mail - 1 })
  tx.record('mail.accepted', aboutSession(session), { mailId: row.id, outcome: row.outcome, from: draft.from.kind })
}

async function checkAsk(tx: Tx, session: SessionRow, draft: MailDraft): Promise<void> {
  // Two who ask each other at the same moment must see each other.
  await lockProject(tx.db, session.project_id)
  const asker = draft.from.sessionId && (await findSession(tx.db, draft.from.sessionId))
  if (asker) await refuseCycle(tx.db, asker, [session.id], 'question')
}

/** A message to a session that waits, from the session it asked, is the answer once the question was read. */
async function answersAsk(tx: Tx, session: SessionRow, draft: MailDraft): Promise<boolean> {
  // What a trigger brings was written before the question.
  if (draft.from.sessionId === undefined || draft.from.kind !== 'agent' || draft.ask || draft.followup) return false
  const asked = await askBetween(tx.db, session.id, draft.from.sessionId)
  // The late answer to an earlier question is not the answer to this one.
  if (asked === undefined || (draft.replyTo !== undefined && draft.replyTo !== asked.id)) return false
  return giveAnswer(tx, asked, said(tx, asked, 'complete', draft.content))
}

async function follow(core: Core, tx: Tx, session: SessionRow, row: MailRow, handling: Handling): Promise<void> {
  if (handling.act === 'consume') tx.record('mail.answered', aboutSession(session), { mailId: row.id })
  if (handling.act === 'answer') {
    await attend(tx, session)
    const { question } = handling
    await answering(question, { answer: row.content })!(core, tx, session)
    if (question.inbox_id)
      await settleInbox(tx.db, question.inbox_id, 'answered', {
        answer: { answer: row.content },
        by: row.id,
        at: tx.now,
      })
    tx.record('mail.answered', aboutSession(session), { mailId: row.id, callId: question.id })
    if (question.inbox_id)
      tx.record('inbox.answered', aboutSession(session), { inboxId: question.inbox_id, by: row.id })
  }
  if (handling.act === 'interrupt') {
    raise(session, 'interrupt')
    const who = row.from_kind === 'human' ? 'the person' : `${row.from_agent ?? row.from_kind}`
    const by = { who, words: shorten(tx.mask(row.content), 500) }
    await interruptWaits(core, tx, session, { said: 'interrupted by a message', by })
    // A turn that waits for money has no call to resume; it reads the message and looks again.
    if (session.status === 'waiting') want(tx, session)
  }
  if (handling.act === 'end-waits') await endWaits(core, tx, session)
  if (handling.act === 'start') {
    reopen(session)
    want(tx, session)
  }
}

async function mailRowFor(tx: Tx, session: SessionRow, draft: MailDraft, handling: Handling): Promise<MailRow> {
  const { sessionId } = draft.from
  const state = handling.outcome === 'started' ? 'queued' : handling.outcome
  return {
    id: newId('mail'),
    project_id: session.project_id,
    session_id: session.id,
    position: session.next_mail,
    from_kind: draft.from.kind,
    from_agent: draft.from.agent ?? null,
    from_session_id: sessionId ?? null,
    from_handle: sessionId === undefined ? null : await handleOf(tx.db, session.project_id, sessionId),
    content: draft.content,
    followup: draft.followup ? 1 : 0,
    interrupt: draft.interrupt ? 1 : 0,
    outcome: handling.outcome,
    state,
    turn_id: state === 'answered' ? session.turn_id : null,
    client_id: draft.clientId ?? null,
    reply_to: draft.replyTo ?? null,
    chain_id: draft.chain?.id ?? newChainId(draft.unattended),
    hops: draft.chain?.hops ?? 0,
    ask_state: draft.ask ? 'open' : null,
    ask_call_id: draft.ask?.callId ?? null,
    ask_until: draft.ask?.until ?? null,
    answer: null,
    cost_usd: draft.spent?.costUsd ?? 0,
    unpriced_tokens: draft.spent?.unpricedTokens ?? 0,
    expires_at: draft.ttl === undefined ? null : tx.now + draft.ttl * 1000,
    told_with: null,
    taken_at: null,
    created_at: tx.now,
  }
}

async function store(tx: Tx, session: SessionRow, row: MailRow, draft: MailDraft): Promise<void> {
  session.next_mail += 1
  session.updated_at = tx.now
  await insertMail(tx.db, row)
  if (row.expires_at !== null && row.state !== 'answered') {
    await insertTimer(tx.db, {
      id: row.id,
      due_at: row.expires_at,
      kind: 'mail',
      ref: row.id,
      session_id: session.id,
      payload: '{}',
    })
    tx.alarm(row.expires_at)
  }
  if (draft.ask && draft.ask.callId === undefined)
    await leaveErrand(tx, { kind: 'ask-until', ref: row.id, sessionId: session.id, at: draft.ask.until })
}

async function checkDeliverable(tx: Tx, session: SessionRow, draft: MailDraft): Promise<void> {
  const handle = () => handleOf(tx.db, session.project_id, session.id)
  // Mail of the system is bounded where it is written, and is never refused.
  const system = draft.from.kind === 'system'
  if (!system && Buffer.byteLength(draft.content) > MAIL_LIMIT) {
    throw new AppError('mail.too_large', `A message holds at most ${MAIL_LIMIT / 1024} KB.`, {
      hint: 'Put the text into a file in the workspace and name the file.',
    })
  }
  if (isOver(session)) {
    throw new AppError('mail.undeliverable', `The session ${await handle()} has ended its work.`, {
      hint: `Write to the agent instead: ${session.agent}.`,
    })
  }
  if (session.deleted_at !== null) {
    throw new AppError('mail.undeliverable', `The session ${await handle()} was deleted.`, {
      hint: `Write to the agent instead: ${session.agent}.`,
    })
  }
  const mayBeFull = !system && session.next_mail > MAILBOX_LIMIT
  if (mayBeFull && (await countWaitingMail(tx.db, session.id)) >= MAILBOX_LIMIT) {
    throw new AppError('mail.box_full', `${MAILBOX_LIMIT} messages wait for this session already.`, {
      hint: 'Let it read them (resume it if it is paused), or send fewer.',
    })
  }
}

export async function getReceipt(core: Core, id: MailId, db: Db = core.store.read): Promise<Receipt> {
  const row = await mailRow(db, id)
  return withHandle(db, row.project_id, toReceipt(row))
}

export async function waitingMail(core: Core, sessionId: SessionId, db: Db = core.store.read): Promise<Mail[]> {
  const rows = await selectWaitingMail(db, sessionId, ['queued', 'held', 'suppressed'], MAILBOX_LIMIT)
  return rows.map(toMail)
}

/** The whole text of a mail that this session was sent. */
export async function mailText(core: Core, sessionId: SessionId, id: MailId): Promise<string> {
  const row = await mailRow(core.store.read, id)
  if (row.session_id !== sessionId) throw notFound(id)
  return row.content
}

export async function mailRow(db: Db, id: MailId): Promise<MailRow> {
  const row = await findMail(db, id)
  if (row === undefined) throw notFound(id)
  return row
}

const withHandle = async (db: Db, project: string, receipt: Receipt): Promise<Receipt> =>
  receipt.sessionId === undefined ? receipt : { ...receipt, session: await handleOf(db, project, receipt.sessionId) }

const notFound = (id: string) => new AppError('mail.not_found', `There is no mail "${id}".`)
