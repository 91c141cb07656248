import { AppError } from '../../contract/errors.ts'
import type { InboxId, SessionId } from '../../contract/ids.ts'
import type { InboxAnswer, InboxItem, InboxStatus, Lineage } from '../../contract/inbox.ts'
import { findCall } from '../../store/calls.ts'
import { findInbox, selectInbox, settleInbox, toInboxItem } from '../../store/inbox.ts'
import { findSession } from '../../store/sessions.ts'
import type { CallRow, Db, InboxRow } from '../../store/tables.ts'
import { aboutSession, type Core, onSession, transact } from '../base/index.ts'
import { answerBudget, answerPrice, asksAboutBudget, asksAboutPrice } from '../budgets/index.ts'
import { lineageOf } from '../inbox/index.ts'
import { attend, GO_ON, letGoOn, limitsOf } from '../mail/index.ts'
import { allowAlways, askedOf } from '../permissions/index.ts'
import { answerRun, asksAboutRun } from '../runs/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { answering, answeringChanges, personOf } from '../waits/index.ts'

/** Answering resumes exactly the parked call, once, from any client, also after a restart. */
export async function answerInbox(core: Core, id: InboxId, answer: InboxAnswer, by: string): Promise<InboxItem> {
  const found = await openItem(core, id)
  if ('answer' in answer && (await answerAboutLimit(core, found, answer.answer, by))) return itemOf(core, id)
  if (found.kind === 'notice' && 'answer' in answer && isGoOn(found, answer.answer))
    return goOnByPerson(core, found, by)
  const call = await callOf(core.store.read, found)
  const act = call === undefined ? answeringChanges(found, answer) : answering(call, answer)
  if (act === undefined) throw badAnswer(found, call)
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

/** What a person says about a budget, a price or a limit of a run; false for an item about something else. */
async function answerAboutLimit(core: Core, found: InboxRow, words: string, by: string): Promise<boolean> {
  if (asksAboutPrice(found)) {
    const session = found.session_id === null ? undefined : await findSession(core.store.read, found.session_id)
    await answerPrice(core, session ? await projectOfSession(core, session) : core.project, found, words, by)
    return true
  }
  if (await asksAboutRun(core, found.id)) {
    if (await answerRun(core, found, words, by)) return true
    throw alreadySettled(found.id)
  }
  if (!(await asksAboutBudget(core, found.id))) return false
  if (await answerBudget(core, found, words, by)) return true
  throw alreadySettled(found.id)
}

const isGoOn = (row: InboxRow, answer: string): boolean => row.options !== null && answer.trim().toLowerCase() === GO_ON

/** Lifts a stop of the loop guards. */
async function goOnByPerson(core: Core, found: InboxRow, by: string): Promise<InboxItem> {
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
  const item = await openItem(core, id)
  const call = await callOf(core.store.read, item)
  if (call !== undefined) {
    throw new AppError('inbox.bad_answer', `${item.from_agent} waits for this ${item.kind}; it cannot be dismissed.`, {
      hint: personOf(call)?.decide ? 'Approve or deny it.' : 'Answer it, or cancel the turn.',
    })
  }
  if (await asksAboutBudget(core, id)) {
    throw new AppError('inbox.bad_answer', 'Work waits for this budget; it cannot be dismissed.', {
      hint: 'Raise it ("raise to 5"), or answer "stop".',
    })
  }
  if (await asksAboutRun(core, id)) {
    throw new AppError('inbox.bad_answer', 'A run waits for this; it cannot be dismissed.', {
      hint: 'Raise the limit ("raise to 200"), or answer "stop".',
    })
  }
  await transact(core, 'inbox.dismiss', async (tx) => {
    if (!(await settleInbox(tx.db, id, 'dismissed', { answer: null, by, at: tx.now }))) throw alreadySettled(id)
    const session = item.session_id === null ? undefined : await findSession(tx.db, item.session_id)
    const about = session === undefined ? { project: item.project_id } : aboutSession(session)
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
  // Many items belong to few sessions: each lineage is read once.
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
  const call = await callOf(db, row)
  const item = toInboxItem(row, call, row.session_id === null ? [] : await lineage(row.session_id))
  const rules = call && row.status === 'open' ? askedOf(call).always : undefined
  return rules === undefined ? item : { ...item, rules: [...rules] }
}

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

function badAnswer(item: InboxRow, call: CallRow | undefined): AppError {
  const person = call && personOf(call)
  const instead = item.options === null ? 'Dismiss it instead.' : `Answer "${GO_ON}", or dismiss it.`
  return new AppError('inbox.bad_answer', `This item is a ${item.kind}; it does not take that answer.`, {
    hint: person ? `Send {"${person.answer ? 'answer' : 'decision'}": …}.` : instead,
  })
}
