import { AppError } from '../contract/errors.ts'
import type { CallId, InboxId } from '../contract/ids.ts'
import type { InboxAnswer, InboxItem, InboxKind, InboxStatus } from '../contract/inbox.ts'
import { newId } from '../lib/ids.ts'
import { findCall } from '../store/calls.ts'
import { findInbox, insertInbox, openInboxOf, selectInbox, settleInbox, toInboxItem } from '../store/inbox.ts'
import { handleOf } from '../store/sessions.ts'
import type { Db, InboxRow, SessionRow } from '../store/tables.ts'
import { allowAlways } from './allow-always.ts'
import type { Core } from './core.ts'
import { resolveApproval, resolveQuestion } from './parked.ts'
import { aboutSession, onSession, type Tx, transact } from './transaction.ts'

interface NewItem {
  readonly id: InboxId
  readonly callId?: CallId
  readonly kind: InboxKind
  readonly title: string
  readonly body: string
  readonly options?: readonly string[]
}

export async function addInbox(tx: Tx, session: SessionRow, item: NewItem): Promise<void> {
  await insertInbox(tx.db, {
    id: item.id,
    project_id: session.project_id,
    session_id: session.id,
    call_id: item.callId ?? null,
    kind: item.kind,
    status: 'open',
    title: tx.mask(item.title),
    body: tx.mask(item.body),
    options: item.options === undefined ? null : JSON.stringify(item.options),
    from_kind: item.kind === 'notice' ? 'system' : 'agent',
    from_agent: session.agent,
    answer: null,
    answered_by: null,
    created_at: tx.now,
    answered_at: null,
  })
  tx.record('inbox.added', aboutSession(session), { inboxId: item.id, kind: item.kind, title: item.title })
}

/** Something the person should know, with nothing waiting on it. */
export const notify = (tx: Tx, session: SessionRow, notice: { title: string; body: string }): Promise<void> =>
  addInbox(tx, session, { id: newId('inbox'), kind: 'notice', ...notice })

/** Answering resumes exactly the parked call, once, from any client, also after a restart. */
export async function answerInbox(core: Core, id: InboxId, answer: InboxAnswer, by: string): Promise<InboxItem> {
  const found = await openItem(core, id)
  checkFits(found, answer)
  await onSession(core, found.session_id!, 'inbox.answer', async (tx, session) => {
    if (!(await settleInbox(tx.db, id, 'answered', { answer, by, at: tx.now }))) throw alreadySettled(id)
    if ('answer' in answer) await resolveQuestion(core, tx, session, found.call_id!, { answer: answer.answer })
    else await resolveApproval(core, tx, session, found.call_id!, answer)
    tx.record('inbox.answered', aboutSession(session), { inboxId: id, by })
    // Before the commit: a rule that cannot be written leaves the item open, and a crash here asks once too often at worst.
    if ('decision' in answer && answer.decision === 'always') await allowAlways(core, tx.db, found)
  })
  return itemOf(core, id)
}

/** Takes a message or notice off the list. What an agent waits for cannot be waved away: answer or deny it. */
export async function dismissInbox(core: Core, id: InboxId, by: string): Promise<InboxItem> {
  const found = await openItem(core, id)
  if (found.call_id !== null) {
    throw new AppError(
      'inbox.bad_answer',
      `${found.from_agent} waits for this ${found.kind}; it cannot be dismissed.`,
      {
        hint: found.kind === 'approval' ? 'Approve or deny it.' : 'Answer it, or cancel the turn.',
      },
    )
  }
  await transact(core, 'inbox.dismiss', async (tx) => {
    if (!(await settleInbox(tx.db, id, 'dismissed', { answer: null, by, at: tx.now }))) throw alreadySettled(id)
    tx.record(
      'inbox.dismissed',
      { project: found.project_id, ...(found.session_id ? { sessionId: found.session_id } : {}) },
      { inboxId: id, reason: by },
    )
  })
  return itemOf(core, id)
}

/** When its calls are abandoned, what they asked is no longer open. */
export async function dismissInboxOf(tx: Tx, session: SessionRow, reason: string): Promise<void> {
  for (const item of await openInboxOf(tx.db, session.id)) {
    if (item.call_id === null) continue
    await settleInbox(tx.db, item.id, 'dismissed', { answer: null, by: reason, at: tx.now })
    tx.record('inbox.dismissed', aboutSession(session), { inboxId: item.id, reason })
  }
}

export async function listInbox(
  core: Core,
  query: { project: string | '*'; status?: InboxStatus | undefined; limit: number; cursor?: string | undefined },
  db: Db = core.store.read,
): Promise<{ items: InboxItem[]; nextCursor?: string }> {
  const rows = await selectInbox(db, query)
  const last = rows.at(-1)
  const items = await Promise.all(rows.map((row) => present(db, row)))
  return rows.length === query.limit && last ? { items, nextCursor: `${last.created_at}.${last.id}` } : { items }
}

async function itemOf(core: Core, id: InboxId): Promise<InboxItem> {
  const db = core.store.read
  return present(db, (await findInbox(db, id))!)
}

async function present(db: Db, row: InboxRow): Promise<InboxItem> {
  const call = row.call_id === null ? undefined : await findCall(db, row.call_id)
  const handle = row.session_id === null ? undefined : await handleOf(db, row.project_id, row.session_id)
  return toInboxItem(row, call, handle)
}

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

function checkFits(row: InboxRow, answer: InboxAnswer): void {
  const wanted = { question: 'answer', approval: 'decision' }[row.kind]
  if (wanted !== undefined && row.call_id !== null && wanted in answer) return
  throw new AppError('inbox.bad_answer', `This item is a ${row.kind}; it does not take that answer.`, {
    hint: wanted === undefined ? 'Dismiss it instead.' : `Send {"${wanted}": …}.`,
  })
}
