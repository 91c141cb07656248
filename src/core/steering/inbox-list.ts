import type { InboxId } from '../../contract/ids.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import { selectCalls } from '../../store/calls.ts'
import { findInbox, type InboxQuery, selectInbox, subjectOf, toInboxItem } from '../../store/inbox.ts'
import type { ItemWait } from '../../store/item-waits.ts'
import type { CallRow, Db, InboxRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { lineagesOf } from '../inbox/index.ts'
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

/** Many items are read with as many statements as one: each lineage, all calls and all that waits for them at once. */
async function present(db: Db, rows: readonly InboxRow[]): Promise<InboxItem[]> {
  const found = await selectCalls(
    db,
    rows.flatMap(({ call_id }) => call_id ?? []),
  )
  const calls = new Map(found.map((call) => [call.id, call]))
  const lines = await lineagesOf(db, [...new Set(rows.flatMap(({ session_id }) => session_id ?? []))])
  const waiting = await sessionsWaiting(db, rows)
  return rows.map((row) => {
    const call = row.call_id === null ? undefined : calls.get(row.call_id)
    const line = lines.get(row.session_id ?? '') ?? []
    const subject = subjectOf(row)
    const lineage = subject === undefined ? line : [...line, subject]
    const item = toInboxItem(row, { lineage, waits: waitsOf(row, call, waiting) })
    const rules = call && row.status === 'open' ? askedOf(call).always : undefined
    return rules === undefined ? item : { ...item, rules: [...rules] }
  })
}

function waitsOf(
  { id, call_id, session_id }: InboxRow,
  call: CallRow | undefined,
  waiting: readonly ItemWait[],
): InboxItem['waits'] {
  if (call_id !== null && session_id !== null)
    return [{ callId: call_id, tool: call?.name ?? '', sessionId: session_id }]
  return waiting.filter(({ inbox_id }) => inbox_id === id).map(({ session_id: sessionId }) => ({ sessionId }))
}

/** What goes on once an open item is answered for which no call waits. */
async function sessionsWaiting(db: Db, rows: readonly InboxRow[]): Promise<ItemWait[]> {
  const open = rows.filter(({ status, call_id }) => status === 'open' && call_id === null)
  const byAction = Map.groupBy(open, ({ action }) => action)
  const found: ItemWait[] = []
  for (const [action, items] of byAction)
    if (action !== null)
      found.push(
        ...((await actions[action].waits?.(
          db,
          items.map(({ id }) => id),
        )) ?? []),
      )
  return found
}
