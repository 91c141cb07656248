import type { WhyThing, WhyUnblock } from '../../contract/why.ts'
import { unansweredAsks } from '../../store/asks.ts'
import { findChain } from '../../store/chains.ts'
import { countAgentMail, selectWaitingMail } from '../../store/mail.ts'
import type { MailRow, SessionRow } from '../../store/tables.ts'
import { countMail } from '../../store/why.ts'
import { listed, type Named, nameOfId, person } from '../waits/index.ts'
import { goOn } from './commands.ts'
import { count, type Look } from './reason.ts'

/** Why mail of an agent woke nobody. */
interface Suppression {
  readonly because: string
  readonly thing: WhyThing
  readonly unblock: readonly WhyUnblock[]
}

export async function suppressionOf(look: Look, mail: MailRow, session: SessionRow, name: Named): Promise<Suppression> {
  const chain = await findChain(look.db, mail.chain_id)
  const { wakes_spent: taken, auto_wake_budget: budget } = session
  const isBudget = taken + (await countAgentMail(look.db, session.id)) >= budget
  const label = `${taken} of ${budget} messages of agents taken since a person wrote`
  return {
    because: isBudget
      ? 'its wake budget is spent (loop.autoWakeBudget)'
      : `the chain it belongs to went as far as it may (${count(mail.hops, 'hop')}, loop.maxHops)`,
    thing: isBudget
      ? { kind: 'budget', ref: 'loop.autoWakeBudget', label }
      : { kind: 'chain', ref: mail.chain_id, label: `stopped after ${count(mail.hops, 'hop')}` },
    unblock: [
      ...(chain?.notice_id ? [goOn(chain.notice_id)] : []),
      person('have it read now', `troupe send ${name.ref} "…"`),
    ],
  }
}

/** Why the first suppressed mail of a session woke nobody. The others wait for the same person. */
export async function firstSuppressed(look: Look, session: SessionRow, name: Named): Promise<Suppression | undefined> {
  const [mail] = await selectWaitingMail(look.db, session.id, ['suppressed'], 1)
  return mail && suppressionOf(look, mail, session, name)
}

/** What waits in the mailbox, one line for each state. */
export async function mailNotes(look: Look, session: SessionRow): Promise<string[]> {
  const waiting = await countMail(look.db, session.id)
  const queued = waiting.get('queued') ?? 0
  const held = waiting.get('held') ?? 0
  const suppressed = waiting.get('suppressed') ?? 0
  return [
    ...(queued > 0 ? [`${count(queued, 'message')} in its mailbox: read ${readWhen[session.status] ?? 'next'}.`] : []),
    ...(held > 0 ? [`${count(held, 'follow-up')} held: read when its turn would end.`] : []),
    ...(suppressed > 0 ? [`${count(suppressed, 'message')} of agents did not wake it; no agent can change that.`] : []),
  ]
}

export const readWhen: Readonly<Record<string, string>> = {
  running: 'at the next safe point',
  waiting: 'once it goes on',
  paused: 'once it is resumed',
  closed: 'once it is opened again',
}

/** Who waits for an answer of this session. */
export async function askedNotes(look: Look, session: SessionRow): Promise<string[]> {
  const asks = (await unansweredAsks(look.db, session.id)).filter(({ ask_state }) => ask_state === 'open')
  const askers = [...new Set(asks.flatMap(({ from_session_id }) => from_session_id ?? []))]
  const names = await Promise.all(askers.map(async (id) => (await nameOfId(look, id)).who))
  return names.length === 0 ? [] : [`${listed(names)} ${names.length === 1 ? 'waits' : 'wait'} for its answer.`]
}
