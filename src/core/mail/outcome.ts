import type { Outcome } from '../../contract/mail.ts'
import { countAgentMail } from '../../store/mail.ts'
import type { CallRow, SessionRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import type { Tx } from '../base/index.ts'
import { calledAs } from '../sessions/index.ts'
import { endedByMail, keepsMail, questionIn } from '../waits/index.ts'
import { spentBy, spreadBy } from './chains.ts'
import type { MailDraft } from './draft.ts'
import { sharesRun } from './members.ts'

/** What becomes of the mail, and what else happens to the session. */
export type Handling =
  | { readonly outcome: Outcome; readonly act?: 'start' | 'consume' | 'interrupt' | 'end-waits' }
  | { readonly outcome: 'answered'; readonly act: 'answer'; readonly question: CallRow }

interface Circumstances {
  readonly spent: string | undefined
  readonly pending: boolean
  readonly answers: boolean
  /** The turn waits for money. */
  readonly onBudget: boolean
}

/** The table of outcomes, first match wins. */
export function handlingOf(
  session: SessionRow,
  draft: MailDraft,
  open: readonly CallRow[],
  { spent, pending, answers, onBudget }: Circumstances,
): Handling {
  const human = draft.from.kind === 'human'

  if (answers) return { outcome: 'answered', act: 'consume' }
  if (session.status === 'paused' || pending) return { outcome: 'queued' }
  if (spent !== undefined) return { outcome: 'suppressed' }
  if (session.status === 'waiting') {
    if (draft.interrupt && human) return { outcome: 'started', act: 'interrupt' }
    const question = human && !draft.followup ? questionIn(open) : undefined
    if (question !== undefined) return { outcome: 'answered', act: 'answer', question }
    if (open.some(keepsMail)) return { outcome: 'queued' }
    if (draft.followup) return { outcome: 'held' }
    if (onBudget) return { outcome: 'queued' }
    return endedByMail(open, draft.from.kind) ? { outcome: 'started', act: 'end-waits' } : { outcome: 'queued' }
  }
  if (session.status === 'running') {
    if (draft.followup) return { outcome: 'held' }
    return draft.interrupt ? { outcome: 'queued', act: 'interrupt' } : { outcome: 'queued' }
  }
  return { outcome: 'started', act: 'start' }
}

/** While a session's task waits for a slot, its mail waits too. */
export const isPending = async (tx: Tx, { status, task_id }: SessionRow): Promise<boolean> =>
  status === 'idle' && task_id !== null && (await findTask(tx.db, task_id))?.status === 'pending'

/** Why mail of an agent or a trigger may not wake this session; undefined when it may. */
export async function spentFor(tx: Tx, session: SessionRow, draft: MailDraft): Promise<string | undefined> {
  const { kind } = draft.from
  // The fires of a trigger are bounded by itself; how far they lead is bounded by the chain.
  if (kind !== 'agent' && kind !== 'trigger') return undefined
  const { chain, limits } = draft
  // A ring of members ends with its chain; all else between them is bounded by limits.maxMessages of the run.
  if (kind === 'agent' && (await sharesRun(tx.db, session, draft.from.sessionId)))
    return chain && limits && spentBy(tx.db, chain, limits)
  if (kind === 'agent' && !draft.ask && (await wakesLeft(tx, session)) <= 0) {
    return `${calledAs(session)} took ${session.auto_wake_budget} messages of agents without a person (loop.autoWakeBudget)`
  }
  if (chain === undefined || limits === undefined) return undefined
  return (await spentBy(tx.db, chain, limits)) ?? (await spreadBy(tx.db, chain, limits, session.id))
}

/** A question spends no wake: the asker's turn, the chain and the check for cycles bound it. */
const wakesLeft = async (tx: Tx, session: SessionRow): Promise<number> =>
  session.auto_wake_budget - session.wakes_spent - (await countAgentMail(tx.db, session.id))
