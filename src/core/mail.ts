import { AppError } from '../contract/errors.ts'
import type { MailId, SessionId } from '../contract/ids.ts'
import { MAIL_LIMIT, MAIL_SHOWN, MAILBOX_LIMIT, type Mail, type Outcome, type Receipt } from '../contract/mail.ts'
import type { From } from '../contract/messages.ts'
import { newId } from '../lib/ids.ts'
import { shorten } from '../lib/shorten.ts'
import { openCalls } from '../store/calls.ts'
import { settleInbox } from '../store/inbox.ts'
import {
  countWaitingMail,
  findMail,
  findMailByClient,
  insertMail,
  selectWaitingMail,
  toMail,
  toReceipt,
  updateMail,
} from '../store/mail.ts'
import { fromOf, type NewMessage } from '../store/messages.ts'
import { handleOf } from '../store/sessions.ts'
import type { CallRow, Db, MailRow, SessionRow, TimerRow } from '../store/tables.ts'
import { deleteTimers, insertTimer } from '../store/timers.ts'
import type { Core } from './core.ts'
import { interruptWaits, resolveQuestion } from './parked.ts'
import { raise } from './sessions/signals.ts'
import { aboutSession, onSession, type Tx } from './transaction.ts'

export interface MailDraft {
  readonly to: SessionId
  /** Set by the runtime, never by content. */
  readonly from: From
  readonly content: string
  readonly followup?: boolean | undefined
  readonly interrupt?: boolean | undefined
  /** Seconds after which it is no longer worth reading. */
  readonly ttl?: number | undefined
  readonly replyTo?: string | undefined
  readonly clientId?: string | undefined
}

/** The one door: whatever reaches a session reaches it here. Stored, decided and made wanted in one transaction. */
export async function deliver(core: Core, draft: MailDraft): Promise<Receipt> {
  if (Buffer.byteLength(draft.content) > MAIL_LIMIT) {
    throw new AppError('mail.too_large', `A message holds at most ${MAIL_LIMIT / 1024} KB.`, {
      hint: 'Put the text into a file in the workspace and name the file.',
    })
  }
  const receipt = await onSession(core, draft.to, 'mail.deliver', async (tx, session) => {
    const earlier = draft.clientId && (await findMailByClient(tx.db, session.project_id, draft.clientId))
    if (earlier) return receiptOf(tx.db, earlier)
    await checkDeliverable(tx, session)
    const open = session.status === 'waiting' ? await openCalls(tx.db, session.id) : []
    const route = routeFor(session, draft, open)
    // As mail to a closed session reopens it, mail to one that is about to close keeps it open.
    if (session.signal === 'close') session.signal = 'cancel'
    const row = await store(core, tx, session, draft, route)
    await follow(core, tx, session, row, route, open)
    if (session.title === '') {
      session.title = shorten(draft.content.trim().split('\n', 1)[0]!, 60)
      tx.record('session.updated', aboutSession(session), { changed: { title: session.title } })
    }
    tx.record('mail.accepted', aboutSession(session), { mailId: row.id, outcome: route.outcome, from: draft.from.kind })
    return receiptOf(tx.db, row)
  })
  // Also for mail that only queues: the session may have gone idle since.
  core.wake(draft.to)
  return receipt
}

interface Route {
  readonly outcome: Outcome
  /** What else happens to the session. */
  readonly act?: 'start' | 'answer' | 'interrupt' | 'end-waits'
}

/** The table of outcomes, first match wins. */
function routeFor(session: SessionRow, draft: MailDraft, open: readonly CallRow[]): Route {
  const human = draft.from.kind === 'human'
  const parked = open.filter((call) => call.state === 'parked')
  const questions = parked.filter((call) => call.kind === 'question').length
  const approvals = parked.filter((call) => call.kind === 'approval').length

  if (session.status === 'paused') return { outcome: 'queued' }
  if (session.status === 'waiting') {
    if (draft.interrupt && human) return { outcome: 'started', act: 'interrupt' }
    if (questions === 1 && approvals === 0 && human && !draft.followup) return { outcome: 'answered', act: 'answer' }
    if (questions + approvals > 0) return { outcome: 'queued' }
    if (draft.followup) return { outcome: 'held' }
    return { outcome: 'started', act: 'end-waits' }
  }
  if (session.status === 'running') {
    if (draft.followup) return { outcome: 'held' }
    return draft.interrupt ? { outcome: 'queued', act: 'interrupt' } : { outcome: 'queued' }
  }
  return { outcome: 'started', act: 'start' }
}

async function follow(
  core: Core,
  tx: Tx,
  session: SessionRow,
  row: MailRow,
  route: Route,
  open: readonly CallRow[],
): Promise<void> {
  if (route.act === 'answer') {
    const question = open.find((call) => call.state === 'parked' && call.kind === 'question')!
    await resolveQuestion(core, tx, session, question.id, { answer: row.content })
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
  if (route.act === 'interrupt') {
    raise(session, 'interrupt')
    const reason = `Denied: the person said instead: ${shorten(row.content, 500)}`
    await interruptWaits(core, tx, session, {
      questions: 'interrupted by a message',
      approvals: reason,
      timers: 'interrupted by a message',
      reason: 'interrupted by a message',
    })
  }
  if (route.act === 'end-waits') {
    const said = 'The wait was interrupted by a message; wait again if that is still needed.'
    await interruptWaits(core, tx, session, {
      questions: said,
      approvals: said,
      timers: said,
      reason: 'a message came',
    })
  }
  if (route.act === 'start') {
    if (session.status === 'closed') {
      session.status = 'idle'
      session.closed_at = null
    }
    session.wanted_at ??= tx.now
  }
}

async function store(core: Core, tx: Tx, session: SessionRow, draft: MailDraft, route: Route): Promise<MailRow> {
  const state = route.outcome === 'started' ? 'queued' : route.outcome
  const row: MailRow = {
    id: newId('mail'),
    project_id: session.project_id,
    session_id: session.id,
    position: session.next_mail,
    from_kind: draft.from.kind,
    from_agent: draft.from.agent ?? null,
    from_session_id: draft.from.sessionId ?? null,
    content: draft.content,
    followup: draft.followup ? 1 : 0,
    interrupt: draft.interrupt ? 1 : 0,
    outcome: route.outcome,
    state,
    turn_id: state === 'answered' ? session.turn_id : null,
    client_id: draft.clientId ?? null,
    reply_to: draft.replyTo ?? null,
    chain_id: newId('chain'),
    hops: 0,
    expires_at: draft.ttl === undefined ? null : tx.now + draft.ttl * 1000,
    taken_at: null,
    created_at: tx.now,
  }
  session.next_mail += 1
  session.updated_at = tx.now
  await insertMail(tx.db, row)
  if (row.expires_at !== null && state !== 'answered') {
    await insertTimer(tx.db, {
      id: row.id,
      due_at: row.expires_at,
      kind: 'mail',
      ref: row.id,
      session_id: session.id,
      payload: '{}',
    })
    tx.after(() => core.alarm(row.expires_at!))
  }
  return row
}

async function checkDeliverable(tx: Tx, session: SessionRow): Promise<void> {
  if (session.deleted_at !== null) {
    throw new AppError('mail.undeliverable', `The session ${session.id.slice(0, 8)} was deleted.`, {
      hint: `Write to the agent instead: ${session.agent}.`,
    })
  }
  if ((await countWaitingMail(tx.db, session.id)) >= MAILBOX_LIMIT) {
    throw new AppError('mail.box_full', `${MAILBOX_LIMIT} messages wait for this session already.`, {
      hint: 'Let it read them (resume it if it is paused), or send fewer.',
    })
  }
}

const TAKEN_AT_ONCE = 100

/** At a safe point: mail becomes history. At least one, then as much as a quarter of the model's window holds. */
export async function takeMail(
  tx: Tx,
  session: SessionRow,
  turnId: string,
  state: 'queued' | 'held',
  windowTokens = ASSUMED_WINDOW,
): Promise<NewMessage[]> {
  const shareChars = windowTokens
  const waiting = await stillGood(tx, session, await selectWaitingMail(tx.db, session.id, [state], TAKEN_AT_ONCE))
  const taken: MailRow[] = []
  let chars = 0
  for (const mail of waiting) {
    chars += Math.min(mail.content.length, MAIL_SHOWN)
    if (taken.length > 0 && chars > shareChars) break
    taken.push(mail)
  }
  await updateMail(
    tx.db,
    taken.map(({ id }) => id),
    { state: 'taken', turn_id: turnId, taken_at: tx.now },
  )
  await deleteTimers(
    tx.db,
    taken.filter(({ expires_at }) => expires_at !== null).map(({ id }) => id),
  )
  for (const mail of taken) tx.record('mail.taken', aboutSession(session), { mailId: mail.id, turnId })
  return taken.map((mail) => ({
    role: 'user',
    parts: [{ type: 'text', text: shown(mail) }],
    from: fromOf(mail),
    mailId: mail.id,
    turnId,
  }))
}

/** Its time may be up before its timer rings. */
async function stillGood(tx: Tx, session: SessionRow, mail: readonly MailRow[]): Promise<MailRow[]> {
  const late = mail.filter((row) => row.expires_at !== null && row.expires_at <= tx.now)
  for (const row of late) await expire(tx, session, row)
  return mail.filter((row) => !late.includes(row))
}

/** Where the model's window is not known. With four characters a token, a quarter of it is as many characters. */
const ASSUMED_WINDOW = 32_000

function shown(mail: MailRow): string {
  if (mail.content.length <= MAIL_SHOWN) return mail.content
  const rest = mail.content.length - MAIL_SHOWN
  return `${mail.content.slice(0, MAIL_SHOWN)}\n[${rest} more characters; read them with read_file, path "mail:${mail.id}"]`
}

export async function expireMail(core: Core, timer: TimerRow): Promise<void> {
  await onSession(core, timer.session_id, 'mail.expire', async (tx, session) => {
    await deleteTimers(tx.db, [timer.id])
    const mail = await findMail(tx.db, timer.ref)
    if (mail === undefined || !['queued', 'held', 'suppressed'].includes(mail.state)) return
    await expire(tx, session, mail)
  })
}

async function expire(tx: Tx, session: SessionRow, mail: MailRow): Promise<void> {
  await updateMail(tx.db, [mail.id], { state: 'expired' })
  await deleteTimers(tx.db, [mail.id])
  tx.record('mail.expired', aboutSession(session), { mailId: mail.id })
}

export async function getReceipt(core: Core, id: MailId): Promise<Receipt> {
  return receiptOf(core.store.read, await mailRow(core.store.read, id))
}

export async function waitingMail(core: Core, sessionId: SessionId): Promise<Mail[]> {
  const rows = await selectWaitingMail(core.store.read, sessionId, ['queued', 'held', 'suppressed'], MAILBOX_LIMIT)
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

const receiptOf = async (db: Db, row: MailRow): Promise<Receipt> => ({
  ...toReceipt(row),
  session: await handleOf(db, row.project_id, row.session_id),
})

const notFound = (id: string) => new AppError('mail.not_found', `There is no mail "${id}".`)
