import { AppError } from '../../contract/errors.ts'
import type { InboxId } from '../../contract/ids.ts'
import type { InboxAction, InboxAnswer } from '../../contract/inbox.ts'
import { settleInbox } from '../../store/inbox.ts'
import { heldAtLimits, type ItemWait, waitingForMoney } from '../../store/item-waits.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, InboxRow, SessionRow } from '../../store/tables.ts'
import { aboutSession, type Core, type Tx, transact } from '../base/index.ts'
import { answerBudget, answerPrice } from '../budgets/index.ts'
import { GO_ON, letGoOn, limitsOf } from '../mail/index.ts'
import { answerRun } from '../runs/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { answeringChanges } from '../waits/index.ts'

type Decided = (core: Core, tx: Tx, session: SessionRow) => Promise<void>

/** What an answer does to an item that no call waits for. The item's row names it. */
export interface ItemAction {
  /** Takes words; false when somebody else has settled the item. */
  answer?(core: Core, item: InboxRow, words: string, by: string): Promise<boolean>
  /** What a decision does in the transaction that settles the item. */
  decide?(item: InboxRow, given: InboxAnswer): Decided | undefined
  /** The sessions that go on once such items are answered. */
  waits?(db: Db, items: readonly InboxId[]): Promise<ItemWait[]>
  /** Why the item cannot be put away, and what to do instead; absent where it can. */
  readonly held?: { readonly message: string; readonly hint: string }
  /** What it takes. */
  readonly takes: string
}

export const actions: Readonly<Record<InboxAction, ItemAction>> = {
  budget: {
    answer: answerBudget,
    waits: waitingForMoney,
    held: {
      message: 'Work waits for this budget; it cannot be dismissed.',
      hint: 'Raise it ("raise to 5"), or answer "stop".',
    },
    takes: 'Answer "raise to 5", or "stop".',
  },
  limit: {
    answer: answerRun,
    waits: heldAtLimits,
    held: {
      message: 'A run waits for this; it cannot be dismissed.',
      hint: 'Raise the limit ("raise to 200"), or answer "stop".',
    },
    takes: 'Answer "raise to 200", or "stop".',
  },
  price: {
    async answer(core, item, words, by) {
      const session = item.session_id === null ? undefined : await findSession(core.store.read, item.session_id)
      return answerPrice(core, session ? await projectOfSession(core, session) : core.project, item, words, by)
    },
    takes: 'Answer with its price, or dismiss it.',
  },
  chain: { answer: goOn, takes: `Answer "${GO_ON}", or dismiss it.` },
  changes: { decide: answeringChanges, takes: 'Send {"decision": …}.' },
}

/** Lifts a stop of the loop guards. */
async function goOn(core: Core, item: InboxRow, words: string, by: string): Promise<boolean> {
  if (words.trim().toLowerCase() !== GO_ON) throw wrongAnswer(item, actions.chain.takes)
  const session = (await findSession(core.store.read, item.session_id!))!
  const limits = await limitsOf(core, await projectOfSession(core, session))
  return transact(core, 'inbox.go-on', async (tx) => {
    if (!(await settleInbox(tx.db, item.id, 'answered', { answer: { answer: GO_ON }, by, at: tx.now }))) return false
    await letGoOn(tx, item.id, limits)
    tx.record('inbox.answered', aboutSession(session), { inboxId: item.id, by })
    return true
  })
}

export const wrongAnswer = (item: InboxRow, hint: string): AppError =>
  new AppError('inbox.bad_answer', `This item is a ${item.kind}; it does not take that answer.`, { hint })
