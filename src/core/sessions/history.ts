import type { SessionId } from '../../contract/ids.ts'
import type { Message, Part } from '../../contract/messages.ts'
import { iso } from '../../lib/clock.ts'
import { maskDeep } from '../../lib/mask.ts'
import { findCompaction } from '../../store/compactions.ts'
import { insertMessages, messageId, type NewMessage, newestCounted, readHistory, toRow } from '../../store/messages.ts'
import type { Db, MessageRow, SessionRow } from '../../store/tables.ts'
import { aboutSession, type History, type HistoryCache, type Tx } from '../base/index.ts'
import { addUse } from '../spending/index.ts'
import { messageSnippet } from './last-words.ts'
import { countAnew } from './row.ts'
import { summaryMessage, viewOf } from './view.ts'
import { weightOf } from './weight.ts'

/** Objects in memory are about this much larger than their JSON. */
const OBJECT_OVERHEAD = 200

/** An older count would tell little: what is new since then is estimated. */
const LOOKED_BACK = 200

/** Logs in memory, the longest unused first. They grow while they are in use: what they hold is added up when it counts. */
export function createHistoryCache(limitBytes: number): HistoryCache {
  const kept = new Map<SessionId, History>()
  const bytes = (): number => kept.values().reduce((sum, history) => sum + history.bytes, 0)

  return {
    async load(core, session) {
      const cached = kept.get(session.id)
      const history = cached?.version === session.log_version ? cached : await beginning(core.store.read, session)
      if (history.nextSeq !== session.next_seq) await readOn(core.store.read, session, history)
      kept.delete(session.id)
      let total = bytes() + history.bytes
      for (const [id, other] of kept) {
        if (total <= limitBytes) break
        total -= other.bytes
        kept.delete(id)
      }
      kept.set(session.id, history)
      return history
    },
    forget: (id) => void kept.delete(id),
    get bytes() {
      return bytes()
    },
  }
}

/** Inside the transaction: gives each message its place and writes it; `remember` comes after the commit. */
export async function appendMessages(tx: Tx, session: SessionRow, given: readonly NewMessage[]): Promise<Message[]> {
  if (given.length === 0) return []
  const rows: MessageRow[] = []
  const appended: Message[] = []
  for (const draft of given) {
    const { message, parts } = withoutSecrets(tx, draft)
    const seq = session.next_seq + rows.length
    rows.push(toRow(session.id, seq, message, tx.now, parts))
    appended.push({ id: messageId(session.id, seq), seq, ...message, createdAt: iso(tx.now) })
  }
  await insertMessages(tx.db, rows)
  for (const message of appended) {
    const snippet = messageSnippet(message)
    tx.record('message.appended', aboutSession(session), {
      messageId: message.id,
      seq: message.seq,
      role: message.role,
      snippet,
      ...(message.turnId === undefined ? {} : { turnId: message.turnId }),
      ...(message.tokens === undefined ? {} : { tokens: message.tokens }),
      ...(message.costUsd === undefined ? {} : { costUsd: message.costUsd }),
    })
    if (snippet !== '' && message.role !== 'tool') session.last_snippet = snippet
    if (message.tokens) addUse(session, { tokens: message.tokens, costUsd: message.costUsd })
  }
  session.next_seq += rows.length
  session.message_count += rows.length
  session.updated_at = tx.now
  countAnew(session)
  return appended
}

/**
 * The model reads what is stored, so secrets are masked first. Reasoning that held a secret is left out: the vendor
 * signed it and refuses it when it was changed. Pictures are left as they are.
 */
function withoutSecrets(tx: Tx, message: NewMessage): { message: NewMessage; parts: string } {
  const text = JSON.stringify(message.parts)
  // All parts are masked as one text first: nearly always there is nothing to hide.
  if (tx.mask(text) === text) return { message, parts: text }
  const parts = message.parts.flatMap((part): Part[] => {
    if (part.type === 'text') return [{ ...part, text: tx.mask(part.text) }]
    if (part.type === 'reasoning') return tx.mask(part.text) === part.text ? [part] : []
    if (part.type === 'tool-call') return [{ ...part, input: maskDeep(tx.mask, part.input) }]
    return [part.type === 'tool-result' ? { ...part, output: maskDeep(tx.mask, part.output) } : part]
  })
  return { message: { ...message, parts }, parts: JSON.stringify(parts) }
}

/** After the commit: the same messages join the log in memory. */
export function remember(history: History, appended: readonly Message[]): void {
  for (const message of appended) {
    if (message.seq !== history.nextSeq) continue
    history.messages.push(message)
    history.nextSeq = message.seq + 1
    history.bytes += OBJECT_OVERHEAD + sizeOf(message)
    history.weight += weightOf(message)
    const { input, output } = message.tokens ?? { input: 0, output: 0 }
    if (input > 0) history.counted = { tokens: input + output, weight: history.weight }
  }
}

const sizeOf = ({ parts }: Message): number =>
  parts.reduce(
    (sum, part) =>
      sum + (part.type === 'text' ? part.text.length : part.type === 'tool-result' ? sizeOfOutput(part.output) : 500),
    0,
  )

const sizeOfOutput = (output: unknown): number =>
  typeof output === 'string' ? output.length : JSON.stringify(output ?? null).length

/** The log as the model of a session reads it, from the rows. */
export async function readView(db: Db, session: SessionRow): Promise<History> {
  const history = await beginning(db, session)
  await readOn(db, session, history)
  return history
}

/** What comes before the messages that are read: nothing, or the summary of a compaction. */
async function beginning(db: Db, session: SessionRow): Promise<History> {
  const compaction = session.compaction_count === 0 ? undefined : await findCompaction(db, session.id)
  const summary = compaction && summaryMessage(compaction)
  const bytes = summary === undefined ? 0 : OBJECT_OVERHEAD + sizeOf(summary)
  return {
    messages: summary === undefined ? [] : [summary],
    nextSeq: compaction?.from_seq ?? 1,
    version: session.log_version,
    bytes,
    weight: summary === undefined ? 0 : weightOf(summary),
    counted: undefined,
    compaction,
  }
}

async function readOn(db: Db, session: SessionRow, history: History): Promise<void> {
  const { compaction } = history
  const range = { after: history.nextSeq - 1, before: session.next_seq }
  // Answers that were given before the compaction counted what is no longer read.
  const since = Math.max(range.after, (compaction?.at_seq ?? 1) - 1, range.before - LOOKED_BACK)
  const counted = await newestCounted(db, session.id, { ...range, after: since })
  await readHistory(db, session.id, range, (read, bytes) => {
    const message = viewOf(read, compaction?.cut_before ?? 0)
    history.messages.push(message)
    history.bytes += (message === read ? bytes : sizeOf(message)) + OBJECT_OVERHEAD
    history.weight += weightOf(message)
    if (read.seq === counted?.seq) history.counted = { tokens: counted.tokens, weight: history.weight }
  })
  history.nextSeq = session.next_seq
}
