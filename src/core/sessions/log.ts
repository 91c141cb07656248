import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { callsOf, type Message, type Part } from '../../contract/messages.ts'
import type { Session } from '../../contract/sessions.ts'
import { deleteCompactions, findCompaction, insertCompaction } from '../../store/compactions.ts'
import {
  insertMessages,
  readParts,
  selectMessages,
  seqOfMessageId,
  toMessage,
  updateMessage,
} from '../../store/messages.ts'
import { findPrompt, putPrompt } from '../../store/prompts.ts'
import { findSession, toSession } from '../../store/sessions.ts'
import type { CompactionRow, Db, MessageRow, SessionRow } from '../../store/tables.ts'
import { insertTombstone, withTombstones } from '../../store/tombstones.ts'
import { aboutSession, type Core, onSession, type Tx } from '../base/index.ts'
import { mustBeIdle } from './idle.ts'
import { isForOnce } from './modes.ts'
import { addSession } from './row.ts'
import { newSession } from './sessions.ts'

export async function listMessages(
  core: Core,
  sessionId: SessionId,
  page: { after?: number; before?: number | undefined; newest?: boolean; limit: number; forPeople?: boolean },
  db: Db = core.store.read,
): Promise<{ items: Message[]; nextCursor?: string }> {
  const { newest = false, before, after, limit } = page
  const range = {
    limit,
    newestFirst: newest,
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  }
  const found = await selectMessages(db, sessionId, range)
  const rows = newest ? found.toReversed() : found
  const items = page.forPeople ? await withTombstones(db, sessionId, rows) : rows.map(toMessage)
  const last = items.at(-1)
  return items.length === limit && last && !newest ? { items, nextCursor: String(last.seq) } : { items }
}

/** The text is replaced where it stands; what it said before stays for people. */
export async function editMessage(core: Core, sessionId: SessionId, messageId: string, text: string): Promise<Message> {
  return changeLog(core, sessionId, messageId, async (tx, session, row) => {
    const parts = toMessage(row).parts
    if (!parts.some((part) => part.type === 'text')) {
      throw new AppError('request.invalid', 'That message has no text to edit.', { hint: 'Delete it instead.' })
    }
    const first = parts.findIndex((part) => part.type === 'text')
    const kept = parts
      .map((part, index): Part => (index === first ? { type: 'text', text } : part))
      .filter((part, index) => index === first || part.type !== 'text')
    const edited = { parts: JSON.stringify(kept), edited_at: tx.now }
    await keep(tx, row)
    await updateMessage(tx.db, sessionId, row.seq, edited)
    tx.record('message.changed', aboutSession(session), { messageId, seq: row.seq, change: 'edited' })
  })
}

/** Leaves a tombstone; a call takes its results with it, so that the rest is still a history a model accepts. */
export async function deleteMessage(core: Core, sessionId: SessionId, messageId: string): Promise<Message> {
  return changeLog(core, sessionId, messageId, async (tx, session, row) => {
    const calls = new Set(callsOf(toMessage(row).parts).map(({ callId }) => callId))
    const later = calls.size === 0 ? [] : await selectMessages(tx.db, sessionId, { after: row.seq })
    const results = later.filter((candidate) =>
      toMessage(candidate).parts.some((part) => part.type === 'tool-result' && calls.has(part.callId)),
    )
    for (const gone of [row, ...results]) {
      await keep(tx, gone)
      await updateMessage(tx.db, sessionId, gone.seq, { parts: '[]', deleted_at: tx.now })
      tx.record('message.changed', aboutSession(session), {
        messageId: toMessage(gone).id,
        seq: gone.seq,
        change: 'deleted',
      })
    }
  })
}

function keep(tx: Tx, row: MessageRow): Promise<void> {
  const { session_id, seq } = row
  return insertTombstone(tx.db, { session_id, seq, parts: JSON.stringify(readParts(session_id, row)), at: tx.now })
}

/** A message by its id or its place in the log. */
type Place = string | number | undefined

/** A new session with the log up to a message, or up to the one before it; calls left open there are answered as not run. */
export async function forkSession(
  core: Core,
  sessionId: SessionId,
  { at, before, title }: { at?: Place; before?: Place; title?: string | undefined },
): Promise<Session> {
  const forked = await onSession(core, sessionId, 'session.fork', async (tx, session) => {
    mustBeIdle(session, 'forked')
    const named = at ?? before ?? session.next_seq - 1
    const upTo = typeof named === 'number' ? named : (seqOfMessageId(sessionId, named) ?? 0)
    const found = await selectMessages(tx.db, sessionId, { before: upTo + 1 })
    if ((at ?? before) !== undefined && found.at(-1)?.seq !== upTo) throw noMessage(String(named))
    const rows = before === undefined ? found : found.slice(0, -1)
    const project = { id: session.project_id, path: '' }
    const fresh: SessionRow = {
      ...newSession(project, { agent: session.agent }, tx.now, {
        workspace: session.workspace,
        wakeBudget: session.auto_wake_budget,
        host: session.host,
        moves: session.moves,
      }),
      // A sub-agent or a tick would be over with its first answer, but a person goes on with the fork.
      mode: isForOnce(session) ? 'chat' : session.mode,
      title: title ?? `${session.title} (fork)`.trim(),
      model: session.model,
      unattended: session.unattended,
      questions: session.questions,
      makers: session.makers,
      attributes: session.attributes,
    }
    const copies = [...rows, ...unanswered(rows)].map((row, index) => ({
      ...row,
      session_id: fresh.id,
      seq: index + 1,
    }))
    fresh.next_seq = copies.length + 1
    fresh.message_count = copies.length
    fresh.last_snippet = session.last_snippet
    const compaction = await compactionOf(tx, session, rows)
    fresh.compaction_count = compaction === undefined ? 0 : 1
    await addSession(tx, fresh)
    for (let start = 0; start < copies.length; start += 200)
      await insertMessages(tx.db, copies.slice(start, start + 200))
    if (compaction) await insertCompaction(tx.db, { ...compaction, session_id: fresh.id, at_seq: fresh.next_seq })
    const prompt = await findPrompt(tx.db, sessionId)
    // The fork's prompt is made anew. What the copied messages told of changes to it stays known.
    if (prompt) await putPrompt(tx.db, { ...prompt, session_id: fresh.id, key: '' })
    return fresh.id
  })
  const db = core.store.read
  return toSession(db, (await findSession(db, forked))!)
}

/** The fork begins as its source does at that message: what was summed up there is summed up here. */
async function compactionOf(
  tx: Tx,
  { id, compaction_count }: SessionRow,
  rows: readonly MessageRow[],
): Promise<CompactionRow | undefined> {
  const row = compaction_count === 0 ? undefined : await findCompaction(tx.db, id, rows.at(-1)?.seq ?? 0)
  const placeOf = (seq: number): number => rows.filter((message) => message.seq < seq).length + 1
  return row && { ...row, number: 1, from_seq: placeOf(row.from_seq), cut_before: placeOf(row.cut_before) }
}

function unanswered(rows: readonly MessageRow[]): MessageRow[] {
  const messages = rows.map(toMessage)
  const answered = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []))),
  )
  return messages
    .flatMap(({ parts }) => callsOf(parts))
    .filter(({ callId }) => !answered.has(callId))
    .map(({ callId, vendorCallId, name }) => ({
      ...rows.at(-1)!,
      role: 'tool',
      parts: JSON.stringify([
        { type: 'tool-result', callId, vendorCallId, name, output: 'not run in this fork', error: true },
      ]),
      mail_id: null,
      model: null,
      tokens_input: null,
      tokens_output: null,
      tokens_cached: null,
      tokens_reasoning: null,
      cost_usd: null,
      duration_ms: null,
      interrupted: 0,
      cut: 0,
    }))
}

async function changeLog(
  core: Core,
  sessionId: SessionId,
  messageId: string,
  work: (tx: Tx, session: SessionRow, row: MessageRow) => Promise<void>,
): Promise<Message> {
  const seq = seqOfMessageId(sessionId, messageId)
  if (seq === undefined) throw noMessage(messageId)
  await onSession(core, sessionId, 'message.change', async (tx, session) => {
    mustBeIdle(session, 'edited')
    const [row] = await selectMessages(tx.db, sessionId, { after: seq - 1, before: seq + 1 })
    if (row === undefined || row.deleted_at !== null) throw noMessage(messageId)
    await work(tx, session, row)
    // A summary may repeat what the message said.
    await deleteCompactions(tx.db, sessionId, row.seq)
    session.log_version += 1
    session.updated_at = tx.now
  })
  core.histories.forget(sessionId)
  const db = core.store.read
  const rows = await selectMessages(db, sessionId, { after: seq - 1, before: seq + 1 })
  return (await withTombstones(db, sessionId, rows))[0]!
}

const noMessage = (id: string): AppError =>
  new AppError('message.not_found', `This session has no message "${id}".`, {
    hint: '"troupe sessions messages" shows the messages with their numbers.',
  })
