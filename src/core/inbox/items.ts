import type { CallId, InboxId } from '../../contract/ids.ts'
import type { InboxKind } from '../../contract/inbox.ts'
import { legible } from '../../lib/hidden.ts'
import { newId } from '../../lib/ids.ts'
import { insertInbox, openInboxOf, settleInbox } from '../../store/inbox.ts'
import type { SessionRow } from '../../store/tables.ts'
import { aboutSession, type Tx } from '../base/index.ts'

export interface NewItem {
  readonly id: InboxId
  readonly callId?: CallId
  readonly kind: InboxKind
  readonly title: string
  readonly body: string
  readonly options?: readonly string[]
}

/** The words are those of an agent, a tool or a file, and a person acts on what they see of them. */
export async function addInbox(tx: Tx, session: SessionRow, item: NewItem): Promise<void> {
  const title = legible(item.title)
  const added = await insertInbox(tx.db, {
    id: item.id,
    project_id: session.project_id,
    session_id: session.id,
    call_id: item.callId ?? null,
    kind: item.kind,
    status: 'open',
    title,
    body: legible(item.body),
    options: item.options === undefined ? null : JSON.stringify(item.options.map(legible)),
    from_kind: item.kind === 'notice' ? 'system' : 'agent',
    from_agent: session.agent,
    answer: null,
    answered_by: null,
    created_at: tx.now,
    answered_at: null,
  })
  if (added) tx.record('inbox.added', aboutSession(session), { inboxId: item.id, kind: item.kind, title })
}

/** Tells the person something that nothing waits for. */
export const notify = (tx: Tx, session: SessionRow, notice: { title: string; body: string }): Promise<void> =>
  addInbox(tx, session, { id: newId('inbox'), kind: 'notice', ...notice })

/** Tells the person something that belongs to no session. The same id again tells it only once. */
export async function notifyProject(
  tx: Tx,
  project: string,
  notice: { readonly id: InboxId; readonly title: string; readonly body: string },
): Promise<void> {
  const title = legible(notice.title)
  const added = await insertInbox(tx.db, {
    id: notice.id,
    project_id: project,
    session_id: null,
    call_id: null,
    kind: 'notice',
    status: 'open',
    title,
    body: legible(notice.body),
    options: null,
    from_kind: 'system',
    from_agent: null,
    answer: null,
    answered_by: null,
    created_at: tx.now,
    answered_at: null,
  })
  if (added) tx.record('inbox.added', { project }, { inboxId: notice.id, kind: 'notice', title })
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
