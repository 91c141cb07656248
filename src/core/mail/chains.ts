import { AppError } from '../../contract/errors.ts'
import type { InboxId, SessionId } from '../../contract/ids.ts'
import { MAILBOX_LIMIT } from '../../contract/mail.ts'
import { newId } from '../../lib/ids.ts'
import {
  findChain,
  findChainByNotice,
  mailOfChain,
  markStopped,
  sessionsIn,
  sessionsReached,
  updateChain,
} from '../../store/chains.ts'
import { settleInbox } from '../../store/inbox.ts'
import { selectWaitingMail, updateMail } from '../../store/mail.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, MailRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { countTasksInChain } from '../../store/tasks.ts'
import { findTurn, updateTurn } from '../../store/turns.ts'
import { aboutSession, type Chain, type Core, leaveErrand, type Project, type Tx } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { addInbox } from '../inbox/index.ts'
import { nameWithHandle } from '../sessions/index.ts'
import { isUnattended, leniency, newChainId } from './unattended.ts'

/** How far a chain of mail and tasks may go by itself. */
export interface ChainLimits {
  readonly maxHops: number
  readonly maxTasksPerChain: number
  readonly autoWakeBudget: number
}

export const limitsOf = async (core: Core, project: Project): Promise<ChainLimits> =>
  (await effectiveSettings(core, project)).settings.loop

/** A turn goes back to a person's mail if it took one, else to the mail with the most hops. */
export function causeOf(row: TurnRow, taken: readonly MailRow[]): void {
  for (const mail of taken) {
    const human = mail.from_kind === 'human'
    // A person who writes is there, even when the turn began unattended.
    const attends = human && isUnattended(row.chain_id) && !isUnattended(mail.chain_id)
    if (!attends && row.chain_id !== null && (row.cause === 'human' || (!human && mail.hops <= row.hops))) continue
    const lenient = !human && row.chain_id !== null && leniency(mail.chain_id) > leniency(row.chain_id)
    if (!lenient) row.chain_id = mail.chain_id
    row.hops = mail.hops
    row.cause = mail.from_kind
  }
}

/** A person answered, so they are there: the turn is no longer unattended. */
export async function attend(tx: Tx, session: SessionRow): Promise<void> {
  const turn = session.turn_id === null ? undefined : await findTurn(tx.db, session.turn_id)
  if (turn === undefined || !isUnattended(turn.chain_id)) return
  await updateTurn(tx.db, { ...turn, chain_id: newChainId(undefined), hops: 0, cause: 'human' })
}

/** What a turn causes is one hop further. */
export const nextHop = ({ id, hops }: Chain): Chain => ({ id, hops: hops + 1 })

/** Why this chain may go no further; undefined when it may. */
export async function spentBy(db: Db, chain: Chain, limits: ChainLimits): Promise<string | undefined> {
  if (chain.hops <= limits.maxHops) return undefined
  const more = (await findChain(db, chain.id))?.more_hops ?? 0
  if (chain.hops <= limits.maxHops + more) return undefined
  return `the chain of messages has come to ${limits.maxHops + more} hops without a person (loop.maxHops)`
}

/** Why this chain may draw in no further session; undefined when it may. */
export async function spreadBy(
  db: Db,
  chain: Chain,
  limits: ChainLimits,
  sessionId: SessionId,
): Promise<string | undefined> {
  const reached = await sessionsReached(db, chain.id)
  if (reached.length < limits.maxTasksPerChain || reached.includes(sessionId)) return undefined
  const most = limits.maxTasksPerChain + ((await findChain(db, chain.id))?.more_tasks ?? 0)
  return reached.length < most
    ? undefined
    : `agents wrote to ${reached.length} sessions in this chain without a person (loop.maxTasksPerChain)`
}

export async function tasksSpent(db: Db, chain: Chain, limits: ChainLimits): Promise<string | undefined> {
  const made = await countTasksInChain(db, chain.id)
  if (made < limits.maxTasksPerChain) return undefined
  const most = limits.maxTasksPerChain + ((await findChain(db, chain.id))?.more_tasks ?? 0)
  return made < most ? undefined : `${made} tasks were made in this chain without a person (loop.maxTasksPerChain)`
}

export const GO_ON = 'go on'
const SHOWN = 12

/** One notice for one stop: it says why, shows the chain, and lets the person go on with it. */
export async function stopChain(
  tx: Tx,
  session: SessionRow,
  stop: { readonly chain: Chain; readonly why: string; readonly refused?: SessionId },
): Promise<void> {
  const id: InboxId = newId('inbox')
  const first = await markStopped(tx.db, {
    id: stop.chain.id,
    project_id: session.project_id,
    notice_id: id,
    refused_session_id: stop.refused ?? null,
    stopped_at: tx.now,
  })
  if (!first) return
  const shown = (await mailOfChain(tx.db, stop.chain.id, SHOWN)).toReversed()
  const lines = await Promise.all(shown.map((mail) => lineOf(tx.db, mail)))
  await addInbox(tx, session, {
    id,
    kind: 'notice',
    title: `Agents were stopped: ${stop.why}`,
    body: [
      `Nothing more happens in this conversation between agents by itself: ${stop.why}.`,
      ...(lines.length > 0 ? ['The newest messages of it:', ...lines] : []),
      `What was sent is kept. Answer "${GO_ON}" to let it go on, write to one of them, or dismiss this.`,
    ].join('\n'),
    options: [GO_ON],
    action: 'chain',
  })
}

async function lineOf(db: Db, mail: MailRow): Promise<string> {
  const to = await findSession(db, mail.session_id)
  const from = mail.from_kind === 'agent' ? `${mail.from_agent} ${mail.from_handle}` : mail.from_kind
  return `  ${from} → ${to === undefined ? 'nobody' : await nameWithHandle(db, to)}: ${mail.content.replace(/\s+/g, ' ').slice(0, 80)}`
}

/** The person lets a chain go on: it may go as far again, and its suppressed mail is read now. */
export async function letGoOn(tx: Tx, noticeId: InboxId, limits: ChainLimits): Promise<void> {
  const chain = await findChainByNotice(tx.db, noticeId)
  if (chain === undefined) {
    throw new AppError('inbox.bad_answer', 'There is nothing left to go on with here.', { hint: 'Dismiss it instead.' })
  }
  await updateChain(tx.db, chain.id, {
    more_hops: chain.more_hops + limits.maxHops,
    more_tasks: chain.more_tasks + limits.maxTasksPerChain,
    notice_id: null,
  })
  // Each session in the chain spent wake budget on it. Each gets it back, or the chain would stop at the next session.
  const told = new Set(await sessionsIn(tx.db, chain.id))
  if (chain.refused_session_id !== null) told.add(chain.refused_session_id)
  for (const sessionId of told) await leaveErrand(tx, { kind: 'release', ref: chain.id, sessionId })
}

/** Suppressed mail is queued after all, because a person wrote or let the chain go on. */
export async function releaseSuppressed(tx: Tx, session: SessionRow): Promise<number> {
  session.wakes_spent = 0
  const rows = await selectWaitingMail(tx.db, session.id, ['suppressed'], MAILBOX_LIMIT)
  await updateMail(
    tx.db,
    rows.map(({ id }) => id),
    { state: 'queued' },
  )
  for (const chainId of new Set(rows.map(({ chain_id }) => chain_id))) await dropNotice(tx, session, chainId)
  return rows.length
}

/** When no mail of the chain is suppressed any more, its notice goes. */
async function dropNotice(tx: Tx, session: SessionRow, chainId: string): Promise<void> {
  const chain = await findChain(tx.db, chainId)
  if (chain?.notice_id == null || (await sessionsReached(tx.db, chainId, 'suppressed')).length > 0) return
  const reason = 'a person wrote'
  // First the item, then the chain, as in `goOn` of the inbox: in the other order the two could wait for each other.
  if (!(await settleInbox(tx.db, chain.notice_id, 'dismissed', { answer: null, by: reason, at: tx.now }))) return
  await updateChain(tx.db, chainId, { notice_id: null })
  tx.record('inbox.dismissed', aboutSession(session), { inboxId: chain.notice_id, reason })
}
