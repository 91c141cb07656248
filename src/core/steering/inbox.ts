import { AppError } from '../../contract/errors.ts'
import type { InboxId, SessionId } from '../../contract/ids.ts'
import type { InboxAnswer, InboxItem, InboxStatus, Lineage } from '../../contract/inbox.ts'
import { findCall } from '../../store/calls.ts'
import { findInbox, selectInbox, settleInbox, toInboxItem } from '../../store/inbox.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, InboxRow } from '../../store/tables.ts'
import { aboutSession, type Core, onSession, transact } from '../base/index.ts'
import { lineageOf } from '../inbox/index.ts'
import { attend, GO_ON, letGoOn, limitsOf } from '../mail/index.ts'
import { allowAlways } from '../permissions/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { resolveApproval, resolveQuestion } from '../waits/index.ts'

/** Answering resumes exactly the parked call, once, from any client, also after a restart. */
export async function answerInbox(core: Core, id: InboxId, answer: InboxAnswer, by: string): Promise<InboxItem> {
  const found = await openItem(core, id)
  if (found.kind === 'notice' && 'answer' in answer && isGoOn(found, answer.answer)) return goOn(core, found, by)
  checkFits(found, answer)
  await onSession(core, found.session_id!, 'inbox.answer', async (tx, session) => {
    if (!(await settleInbox(tx.db, id, 'answered', { answer, by, at: tx.now }))) throw alreadySettled(id)
    await attend(tx, session)
    if ('answer' in answer) await resolveQuestion(core, tx, session, found.call_id!, { answer: answer.answer })
    else await resolveApproval(core, tx, session, found.call_id!, answer)
    tx.record('inbox.answered', aboutSession(session), { inboxId: id, by })
    // Before the commit: a rule that cannot be written leaves the item open, and a crash here asks once too often at worst.
    if ('decision' in answer && answer.decision === 'always') await allowAlways(core, tx.db, found)
  })
  return itemOf(core, id)
}

const isGoOn = (row: InboxRow, answer: string): boolean => row.options !== null && answer.trim().toLowerCase() === GO_ON

/** A stop of the loop guards is lifted. */
async function goOn(core: Core, found: InboxRow, by: string): Promise<InboxItem> {
  const session = (await findSession(core.store.read, found.session_id!))!
  const limits = await limitsOf(core, await projectOfSession(core, session))
  await transact(core, 'inbox.go-on', async (tx) => {
    if (!(await settleInbox(tx.db, found.id, 'answered', { answer: { answer: GO_ON }, by, at: tx.now })))
      throw alreadySettled(found.id)
    await letGoOn(tx, found.id, limits)
    tx.record('inbox.answered', aboutSession(session), { inboxId: found.id, by })
  })
  return itemOf(core, found.id)
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
    const session = found.session_id === null ? undefined : await findSession(tx.db, found.session_id)
    const about = session === undefined ? { project: found.project_id } : aboutSession(session)
    tx.record('inbox.dismissed', about, { inboxId: id, reason: by })
  })
  return itemOf(core, id)
}

export async function listInbox(
  core: Core,
  query: { project: string | '*'; status?: InboxStatus | undefined; limit: number; cursor?: string | undefined },
  db: Db = core.store.read,
): Promise<{ items: InboxItem[]; nextCursor?: string }> {
  const rows = await selectInbox(db, query)
  const last = rows.at(-1)
  // Many items are of few sessions.
  const lines = new Map<SessionId, Promise<Lineage[]>>()
  const known = (id: SessionId) => lines.get(id) ?? lines.set(id, lineageOf(db, id)).get(id)!
  const items = await Promise.all(rows.map((row) => present(db, row, known)))
  return rows.length === query.limit && last ? { items, nextCursor: `${last.created_at}.${last.id}` } : { items }
}

async function itemOf(core: Core, id: InboxId): Promise<InboxItem> {
  const db = core.store.read
  return present(db, (await findInbox(db, id))!)
}

async function present(
  db: Db,
  row: InboxRow,
  lineage = (id: SessionId): Promise<Lineage[]> => lineageOf(db, id),
): Promise<InboxItem> {
  const call = row.call_id === null ? undefined : await findCall(db, row.call_id)
  return toInboxItem(row, call, row.session_id === null ? [] : await lineage(row.session_id))
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
    hint:
      wanted !== undefined
        ? `Send {"${wanted}": …}.`
        : row.options === null
          ? 'Dismiss it instead.'
          : `Answer "${GO_ON}", or dismiss it.`,
  })
}
