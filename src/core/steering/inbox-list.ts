import type { CallId, InboxId, SessionId } from '../../contract/ids.ts'
import type { InboxItem, Lineage } from '../../contract/inbox.ts'
import { selectCalls } from '../../store/calls.ts'
import { findInbox, type InboxQuery, selectInbox, subjectOf, toInboxItem } from '../../store/inbox.ts'
import type { CallRow, Db, InboxRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { lineageOf } from '../inbox/index.ts'
import { askedOf } from '../permissions/index.ts'
import { actions } from './actions.ts'

/** What there is for the person, newest first. A new item comes before the first page, so that no page shows one twice. */
export async function listInbox(
  core: Core,
  query: InboxQuery,
  db: Db = core.store.read,
): Promise<{ items: InboxItem[]; nextCursor?: string }> {
  const rows = await selectInbox(db, query)
  const last = rows.at(-1)
  const items = await present(db, rows)
  return rows.length === query.limit && last ? { items, nextCursor: `${last.created_at}.${last.id}` } : { items }
}

export async function itemOf(core: Core, id: InboxId): Promise<InboxItem> {
  const db = core.store.read
  return (await present(db, [(await findInbox(db, id))!]))[0]!
}

/** Many items belong to few sessions: each lineage is read once, and all calls at once. */
async function present(db: Db, rows: readonly InboxRow[]): Promise<InboxItem[]> {
  const calls = new Map<CallId, CallRow>()
  for (const call of await selectCalls(
    db,
    rows.flatMap(({ call_id }) => call_id ?? []),
  ))
    calls.set(call.id, call)
  const lines = new Map<SessionId, Promise<Lineage[]>>()
  const known = (id: SessionId) => lines.get(id) ?? lines.set(id, lineageOf(db, id)).get(id)!
  return Promise.all(
    rows.map(async (row) => {
      const call = row.call_id === null ? undefined : calls.get(row.call_id)
      const line = row.session_id === null ? [] : await known(row.session_id)
      const subject = subjectOf(row)
      const lineage = subject === undefined ? line : [...line, subject]
      const item = toInboxItem(row, { lineage, waits: await waitsOf(db, row, call) })
      const rules = call && row.status === 'open' ? askedOf(call).always : undefined
      return rules === undefined ? item : { ...item, rules: [...rules] }
    }),
  )
}

async function waitsOf(db: Db, row: InboxRow, call: CallRow | undefined): Promise<InboxItem['waits']> {
  const { call_id, session_id, action } = row
  if (call_id !== null && session_id !== null)
    return [{ callId: call_id, tool: call?.name ?? '', sessionId: session_id }]
  const sessions = action === null || row.status !== 'open' ? [] : await actions[action].waits?.(db, row)
  return (sessions ?? []).map((sessionId) => ({ sessionId }))
}
