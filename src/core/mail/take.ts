import { MAIL_SHOWN, type Mail } from '../../contract/mail.ts'
import { shorten } from '../../lib/shorten.ts'
import { findMail, selectWaitingMail, updateMail } from '../../store/mail.ts'
import { fromOf, type NewMessage } from '../../store/messages.ts'
import type { MailRow, SessionRow, SessionTimer, TurnRow } from '../../store/tables.ts'
import { deleteTimers, takeTimer } from '../../store/timers.ts'
import { aboutSession, type Core, onSession, type Tx } from '../base/index.ts'
import { notify } from '../inbox/index.ts'
import { calledAs } from '../sessions/index.ts'
import { type Charge, charge } from '../spending/index.ts'
import { causeOf } from './chains.ts'
import { sharesRun } from './members.ts'

/** At a safe point mail becomes history: at least one, and as many as a quarter of the model's window holds. */
export async function takeMail(
  tx: Tx,
  session: SessionRow,
  turn: TurnRow,
  state: 'queued' | 'held',
  windowTokens = ASSUMED_WINDOW,
  noteOn: NoteOn = nothing,
): Promise<NewMessage[]> {
  const taken = await takeRows(tx, session, turn, state, windowTokens)
  causeOf(turn, taken)
  for (const mail of taken) {
    tx.record('mail.taken', aboutSession(session), { mailId: mail.id, turnId: turn.id })
    if (
      mail.from_kind === 'agent' &&
      mail.ask_state !== 'open' &&
      !(await sharesRun(tx.db, session, mail.from_session_id))
    )
      session.wakes_spent += 1
    await charge(tx, session, turn, spentOn(mail))
  }
  return toMessages(tx, turn, taken, noteOn)
}

/** What is told behind a mail, such as the text of the skill that it starts. */
export type NoteOn = (mail: Pick<Mail, 'content' | 'from'>) => string | undefined

const nothing: NoteOn = () => undefined

/**
 * Takes what a turn goes on with. A turn that begins with nothing new was started by held mail: the turn before failed and
 * did not release it.
 */
export async function takeNews(
  tx: Tx,
  session: SessionRow,
  turn: TurnRow,
  begins: boolean,
  windowTokens?: number,
  noteOn?: NoteOn,
): Promise<NewMessage[]> {
  const queued = await takeMail(tx, session, turn, 'queued', windowTokens, noteOn)
  return begins && queued.length === 0 ? takeMail(tx, session, turn, 'held', windowTokens, noteOn) : queued
}

const PAGE = 100

/** In order, page by page: what is left over waits for the next safe point. */
async function takeRows(
  tx: Tx,
  session: SessionRow,
  turn: TurnRow,
  state: 'queued' | 'held',
  shareChars: number,
): Promise<MailRow[]> {
  const taken: MailRow[] = []
  let chars = 0
  for (;;) {
    const page = await selectWaitingMail(tx.db, session.id, [state], PAGE)
    const good = await stillGood(tx, session, page)
    const before = taken.length
    for (const mail of good) {
      chars += Math.min(mail.content.length, MAIL_SHOWN)
      if (taken.length > 0 && chars > shareChars) break
      taken.push(mail)
    }
    const now = taken.slice(before)
    await updateMail(
      tx.db,
      now.map(({ id }) => id),
      { state: 'taken', turn_id: turn.id, taken_at: tx.now },
    )
    await deleteTimers(
      tx.db,
      now.filter(({ expires_at }) => expires_at !== null).map(({ id }) => id),
    )
    if (now.length < good.length || page.length < PAGE) return taken
  }
}

/** One message for each mail, except that all notices of the system become one, in the place of the first. */
async function toMessages(tx: Tx, turn: TurnRow, taken: readonly MailRow[], noteOn: NoteOn): Promise<NewMessage[]> {
  const notices = taken.filter(({ from_kind }) => from_kind === 'system')
  const [first, ...others] = notices
  await updateMail(
    tx.db,
    others.map(({ id }) => id),
    { told_with: first?.id ?? null },
  )
  return taken
    .filter((mail) => !others.includes(mail))
    .flatMap((mail) => {
      const from = fromOf({ ...mail, asks: mail.ask_state === 'open' ? 1 : null })
      const text = mail === first ? notices.map(shown).join('\n\n') : shown(mail)
      const note = noteOn({ content: shown(mail), from })
      return [
        { role: 'user', parts: [{ type: 'text', text }], from, mailId: mail.id, turnId: turn.id },
        ...(note === undefined ? [] : [noteMessage(turn, note)]),
      ] satisfies NewMessage[]
    })
}

const noteMessage = (turn: TurnRow, text: string): NewMessage => ({
  role: 'system',
  from: { kind: 'system' },
  turnId: turn.id,
  parts: [{ type: 'text', text }],
})

/** The time of a mail may be up before its timer rings. */
async function stillGood(tx: Tx, session: SessionRow, mail: readonly MailRow[]): Promise<MailRow[]> {
  const late = mail.filter((row) => row.expires_at !== null && row.expires_at <= tx.now)
  for (const row of late) await expire(tx, session, row)
  return mail.filter((row) => !late.includes(row))
}

/** For a model whose window is not known. At four characters a token, a quarter of n tokens is n characters. */
const ASSUMED_WINDOW = 32_000

function shown(mail: MailRow): string {
  if (mail.content.length <= MAIL_SHOWN) return mail.content
  const rest = mail.content.length - MAIL_SHOWN
  return `${mail.content.slice(0, MAIL_SHOWN)}\n[${rest} more characters; read them with read_file, path "mail:${mail.id}"]`
}

export async function expireMail(core: Core, timer: SessionTimer): Promise<void> {
  await onSession(core, timer.session_id, 'mail.expire', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
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

/** The session will not read its waiting mail any more. */
export async function dropMail(tx: Tx, session: SessionRow, reason: string): Promise<void> {
  const left = await selectWaitingMail(tx.db, session.id, ['queued', 'held', 'suppressed'], ALL)
  await updateMail(
    tx.db,
    left.map(({ id }) => id),
    { state: 'undeliverable' },
  )
  for (const mail of left) {
    tx.record('mail.undeliverable', aboutSession(session), { mailId: mail.id, reason, state: 'undeliverable' })
    // Nobody reads the mail, but what it tells was paid for.
    await charge(tx, session, undefined, spentOn(mail))
  }
  const agents = left.filter(({ from_kind }) => from_kind === 'agent' || from_kind === 'trigger')
  if (agents.length > 0)
    await notify(tx, session, {
      group: 'mail.undeliverable',
      title: `${agents.length === 1 ? 'A message' : `${agents.length} messages`} to ${calledAs(session)} could not be delivered`,
      body: `${reason}\n${agents
        .slice(0, SHOWN)
        .map(
          ({ from_agent, from_kind, content }) =>
            `From ${from_agent ?? from_kind}: ${shorten(tx.mask(content).replace(/\s+/g, ' '), 200)}`,
        )
        .join('\n')}`,
    })
}

const SHOWN = 5

const spentOn = ({ cost_usd, unpriced_tokens }: MailRow): Charge => ({
  costUsd: cost_usd,
  unpricedTokens: unpriced_tokens,
})

/** More than there can be: a mailbox holds a tenth of this, and notices. */
const ALL = 10_000
