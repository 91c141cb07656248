import { AppError } from '../../contract/errors.ts'
import type { InboxId } from '../../contract/ids.ts'
import type { InboxAnswer, InboxItem } from '../../contract/inbox.ts'
import { findCall } from '../../store/calls.ts'
import { findInbox, settleInbox } from '../../store/inbox.ts'
import { findSession } from '../../store/sessions.ts'
import type { CallRow, Db, InboxRow } from '../../store/tables.ts'
import { aboutSession, type Core, onSession, transact } from '../base/index.ts'
import { attend } from '../mail/index.ts'
import { allowAlways } from '../permissions/index.ts'
import { answering, personOf } from '../waits/index.ts'
import { actions, type ItemAction, wrongAnswer } from './actions.ts'
import { itemOf } from './inbox-list.ts'

/** Answering resumes exactly the parked call, once, from any client, also after a restart. */
export async function answerInbox(core: Core, id: InboxId, answer: InboxAnswer, by: string): Promise<InboxItem> {
  const found = await openItem(core, id)
  const action = actionOf(found)
  if ('answer' in answer && action?.answer) {
    if (!(await action.answer(core, found, answer.answer, by))) throw alreadySettled(id)
    return itemOf(core, id)
  }
  const call = await callOf(core.store.read, found)
  const act = call === undefined ? action?.decide?.(found, answer) : answering(call, answer)
  if (act === undefined) throw wrongAnswer(found, takenBy(call, action))
  await onSession(core, found.session_id!, 'inbox.answer', async (tx, session) => {
    if (!(await settleInbox(tx.db, id, 'answered', { answer, by, at: tx.now }))) throw alreadySettled(id)
    await attend(tx, session)
    await act(core, tx, session)
    tx.record('inbox.answered', aboutSession(session), { inboxId: id, by })
    // Written before the commit: if the rule fails the item stays open, and a crash here asks once too often at worst.
    if ('decision' in answer && answer.decision === 'always') await allowAlways(core, tx.db, found)
  })
  return itemOf(core, id)
}

/** Takes a message or notice off the list. What an agent waits for cannot be waved away: answer or deny it. */
export async function dismissInbox(core: Core, id: InboxId, by: string): Promise<InboxItem> {
  const item = await openItem(core, id)
  const call = await callOf(core.store.read, item)
  if (call !== undefined) {
    throw new AppError('inbox.bad_answer', `${item.from_agent} waits for this ${item.kind}; it cannot be dismissed.`, {
      hint: personOf(call)?.decide ? 'Approve or deny it.' : 'Answer it, or cancel the turn.',
    })
  }
  const held = actionOf(item)?.held
  if (held) throw new AppError('inbox.bad_answer', held.message, { hint: held.hint })
  await transact(core, 'inbox.dismiss', async (tx) => {
    if (!(await settleInbox(tx.db, id, 'dismissed', { answer: null, by, at: tx.now }))) throw alreadySettled(id)
    const session = item.session_id === null ? undefined : await findSession(tx.db, item.session_id)
    const about = session === undefined ? { project: item.project_id } : aboutSession(session)
    tx.record('inbox.dismissed', about, { inboxId: id, reason: by })
  })
  return itemOf(core, id)
}

const actionOf = ({ action }: InboxRow): ItemAction | undefined => (action === null ? undefined : actions[action])

const callOf = async (db: Db, { call_id }: InboxRow): Promise<CallRow | undefined> =>
  call_id === null ? undefined : findCall(db, call_id)

async function openItem(core: Core, id: InboxId): Promise<InboxRow> {
  const row = await findInbox(core.store.read, id)
  if (row === undefined) {
    throw new AppError('inbox.not_found', `There is no inbox item "${id}".`, { hint: 'List them with: troupe inbox' })
  }
  if (row.status !== 'open') throw alreadySettled(id, row.status)
  return row
}

const alreadySettled = (id: string, status = 'answered'): AppError =>
  new AppError('inbox.answered', `The item ${id} is already ${status}.`, {
    hint: 'The first answer counts; see: troupe inbox',
  })

function takenBy(call: CallRow | undefined, action: ItemAction | undefined): string {
  const person = call && personOf(call)
  return person ? `Send {"${person.answer ? 'answer' : 'decision'}": …}.` : (action?.takes ?? 'Dismiss it instead.')
}
