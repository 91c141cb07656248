import { AppError } from '../../contract/errors.ts'
import type { MailId } from '../../contract/ids.ts'
import type { WhyUnblock } from '../../contract/why.ts'
import { findMail } from '../../store/mail.ts'
import type { MailRow, SessionRow } from '../../store/tables.ts'
import { findTurn } from '../../store/turns.ts'
import { line, moment, type Named, nameOf, nameOfId, person, wakes } from '../waits/index.ts'
import { readWhen, suppressionOf } from './mailbox.ts'
import { ownerOf } from './owner.ts'
import type { Look, Reason } from './reason.ts'

type Rest = Pick<Reason, 'since' | 'says' | 'waitsOn' | 'wakes' | 'unblock' | 'follows'>

/** Where a mail is, and what keeps it there. */
export async function mailReason(look: Look, id: MailId): Promise<Reason> {
  const mail = await findMail(look.db, id)
  if (mail === undefined) throw new AppError('mail.not_found', `There is no mail "${id}".`)
  const session = await ownerOf(look, mail.session_id)
  const name = await nameOf(look, session)
  const from = mail.from_session_id === null ? (mail.from_agent ?? mail.from_kind) : undefined
  const sender = from ?? (await nameOfId(look, mail.from_session_id!)).who
  return {
    ref: id,
    state: mail.state,
    who: `The mail of ${sender} to ${name.who}`,
    notes: [`It says: ${line(look, mail.content)}`, ...askNotes(mail, sender)],
    ...(await restOf(look, mail, session, name)),
  }
}

async function restOf(look: Look, mail: MailRow, session: SessionRow, name: Named): Promise<Rest> {
  switch (mail.state) {
    case 'queued':
    case 'held':
      return waiting(mail, session, name)
    case 'suppressed':
      return suppressed(look, mail, session, name)
    case 'taken':
      return taken(look, mail, session, name)
    default:
      return over(mail, name)
  }
}

function waiting(mail: MailRow, session: SessionRow, name: Named): Rest {
  const held = mail.state === 'held'
  const when = held ? 'when its turn would end' : (readWhen[session.status] ?? 'when its next turn begins')
  return {
    since: mail.created_at,
    says: held ? 'is held as a follow-up' : 'waits to be read',
    waitsOn: [{ kind: 'session', ref: session.id, label: `${name.who} is ${session.status}` }],
    wakes: wakes('safe-point', `${name.who} reads it ${when}${expires(mail)}`, mail.expires_at ?? undefined),
    unblock: session.status === 'running' ? [sooner(held, name)] : [],
    follows: [session.id],
  }
}

const sooner = (held: boolean, { ref }: Named): WhyUnblock =>
  held
    ? person('end its turn, so that it is read next', `troupe sessions cancel ${ref}`)
    : person('interrupt it, so that it is read now', `troupe send ${ref} --interrupt "…"`)

async function suppressed(look: Look, mail: MailRow, session: SessionRow, name: Named): Promise<Rest> {
  const { because, thing, unblock } = await suppressionOf(look, mail, session, name)
  return {
    since: mail.created_at,
    says: `woke nobody: ${because}`,
    waitsOn: [thing],
    wakes: wakes('mail', `a message of a person to ${name.who}${expires(mail)}`, mail.expires_at ?? undefined),
    unblock,
  }
}

async function taken(look: Look, mail: MailRow, session: SessionRow, name: Named): Promise<Rest> {
  const turn = mail.turn_id === null ? undefined : await findTurn(look.db, mail.turn_id)
  const base = { since: mail.taken_at ?? mail.created_at, says: `was read by ${name.who}` }
  if (turn !== undefined && turn.ended_at === null) {
    return {
      ...base,
      says: `${base.says}, whose turn goes on`,
      waitsOn: [{ kind: 'session', ref: session.id, label: `${name.who} is ${session.status}` }],
      wakes: wakes('nothing', 'nothing of its own: the turn that read it goes on'),
      unblock: [],
      follows: [session.id],
    }
  }
  const ended = turn?.ended_at == null ? '' : `; that turn ended at ${moment(turn.ended_at)} (${turn.ended_as})`
  return { ...base, says: `${base.says}${ended}`, ...nothingOpen(name) }
}

const endings: Record<string, string> = {
  answered: 'answered an open question',
  expired: 'expired before it was read',
  undeliverable: 'could not be delivered: the session was deleted or has ended its work',
}

const over = (mail: MailRow, name: Named): Rest => ({
  since: (mail.state === 'expired' ? mail.expires_at : mail.taken_at) ?? mail.created_at,
  says: endings[mail.state] ?? `is ${mail.state}`,
  ...nothingOpen(name),
})

const nothingOpen = (name: Named): Pick<Rest, 'waitsOn' | 'wakes' | 'unblock'> => ({
  waitsOn: [],
  wakes: wakes('nothing', 'nothing: it is where it belongs'),
  unblock: [person('read the conversation', `troupe sessions messages ${name.ref}`)],
})

const expires = (mail: MailRow): string =>
  mail.expires_at === null ? '' : `, or it expires at ${moment(mail.expires_at)}`

function askNotes(mail: MailRow, sender: string): string[] {
  if (mail.ask_state !== 'open') return []
  const until = mail.ask_until === null ? '' : `, until ${moment(mail.ask_until)} at the latest`
  return [`It is a question: ${sender} waits for the answer${until}.`]
}
