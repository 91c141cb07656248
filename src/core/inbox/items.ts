import type { CallId, InboxId } from '../../contract/ids.ts'
import type { InboxAction, InboxKind, Lineage } from '../../contract/inbox.ts'
import { legible } from '../../lib/hidden.ts'
import { newId } from '../../lib/ids.ts'
import { insertInbox, openInboxOf, settleInbox } from '../../store/inbox.ts'
import type { InboxRow, SessionRow } from '../../store/tables.ts'
import { aboutSession, type Tx } from '../base/index.ts'
import { tellAgain } from './groups.ts'

export interface NewItem {
  readonly id: InboxId
  readonly callId?: CallId
  readonly kind: InboxKind
  readonly title: string
  readonly body: string
  readonly options?: readonly string[]
  /** What an answer does where no call waits for it. */
  readonly action?: InboxAction
  /** What it is about besides its session. */
  readonly about?: Lineage
  /** Notices of one group are one row while it is open: a storm is one line. */
  readonly group?: string
}

/** The words are those of an agent, a tool or a file, and a person acts on what they see of them. */
export const addInbox = (tx: Tx, session: SessionRow, item: NewItem): Promise<void> =>
  addItem(tx, aboutSession(session), item, session)

/** Tells the person something that nothing waits for. */
export const notify = (tx: Tx, session: SessionRow, notice: Notice): Promise<void> =>
  addInbox(tx, session, { id: newId('inbox'), kind: 'notice', ...notice })

type Notice = Pick<NewItem, 'title' | 'body' | 'about' | 'group'>

/** Tells the person something that belongs to no session. The same id again tells it only once. */
export const notifyProject = (tx: Tx, project: string, notice: Notice & { readonly id: InboxId }): Promise<void> =>
  addItem(tx, { project }, { kind: 'notice', ...notice }, undefined)

async function addItem(
  tx: Tx,
  about: Parameters<Tx['record']>[1],
  item: NewItem,
  session: SessionRow | undefined,
): Promise<void> {
  const row: InboxRow = {
    id: item.id,
    project_id: about.project,
    session_id: session?.id ?? null,
    call_id: item.callId ?? null,
    kind: item.kind,
    status: 'open',
    title: legible(item.title),
    body: legible(item.body),
    options: item.options === undefined ? null : JSON.stringify(item.options.map(legible)),
    from_kind: item.kind === 'notice' ? 'system' : 'agent',
    from_agent: session?.agent ?? null,
    answer: null,
    answered_by: null,
    created_at: tx.now,
    answered_at: null,
    action: item.action ?? null,
    about: item.about === undefined ? null : JSON.stringify({ ...item.about, label: legible(item.about.label) }),
    grouped: item.group ?? null,
    times: 1,
    latest_at: null,
  }
  if (await tellAgain(tx, about, row)) return
  if (await insertInbox(tx.db, row))
    tx.record('inbox.added', about, { inboxId: row.id, kind: row.kind, title: row.title })
  // Another transaction may have opened the group meanwhile.
  else await tellAgain(tx, about, row)
}

/** When a session's calls are abandoned, the items they put into the inbox are closed. */
export async function dismissInboxOf(tx: Tx, session: SessionRow, reason: string): Promise<void> {
  for (const item of await openInboxOf(tx.db, session.id)) {
    if (item.call_id === null) continue
    await settleInbox(tx.db, item.id, 'dismissed', { answer: null, by: reason, at: tx.now })
    tx.record('inbox.dismissed', aboutSession(session), { inboxId: item.id, reason })
  }
}

/** What a notice that belongs to no session says is no longer so. */
export async function dismissNotice(tx: Tx, project: string, id: InboxId, reason: string): Promise<void> {
  if (!(await settleInbox(tx.db, id, 'dismissed', { answer: null, by: reason, at: tx.now }))) return
  tx.record('inbox.dismissed', { project }, { inboxId: id, reason })
}
