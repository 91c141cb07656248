import type { SessionId } from '../contract/ids.ts'
import type { From, Message, Part, Role } from '../contract/messages.ts'
import { iso } from '../lib/clock.ts'
import { atMost } from './drivers/limit.ts'
import { prepared, preparedFor } from './drivers/prepared.ts'
import { isObject, readJson } from './drivers/unreadable.ts'
import { tokensOf } from './sessions.ts'
import type { Db, MessageRow } from './tables.ts'

/** A message as the loop writes it; the session row gives it its place in the log. */
export type NewMessage = Pick<Message, 'role' | 'parts'> &
  Partial<
    Pick<Message, 'from' | 'mailId' | 'turnId' | 'model' | 'tokens' | 'costUsd' | 'durationMs' | 'interrupted' | 'cut'>
  >

export const messageId = (sessionId: SessionId, seq: number): string => `msg_${sessionId}_${seq}`

export const seqOfMessageId = (sessionId: SessionId, id: string): number | undefined => {
  const seq = id.startsWith(`msg_${sessionId}_`) ? Number(id.slice(`msg_${sessionId}_`.length)) : Number.NaN
  return Number.isSafeInteger(seq) && seq > 0 ? seq : undefined
}

export async function insertMessages(db: Db, rows: readonly MessageRow[]): Promise<void> {
  if (rows.length > 0) await insertRows(db, rows)
}

const insertRows = prepared((db, rows: readonly MessageRow[]) => db.insertInto('messages').values([...rows]))

export async function selectMessages(
  db: Db,
  sessionId: SessionId,
  range: { after?: number; before?: number; limit?: number; newestFirst?: boolean } = {},
): Promise<MessageRow[]> {
  const { limit, newestFirst, ...between } = range
  return (newestFirst ? newestIn : oldestIn)(limit)(db, sessionId, between)
}

const inOrder = (order: 'asc' | 'desc') =>
  preparedFor(
    (limit: number | undefined) => (db, sessionId: SessionId, between: { after?: number; before?: number }) => {
      let query = db.selectFrom('messages').selectAll().where('session_id', '=', sessionId)
      if (between.after !== undefined) query = query.where('seq', '>', between.after)
      if (between.before !== undefined) query = query.where('seq', '<', between.before)
      query = query.orderBy('seq', order)
      return limit === undefined ? query : query.limit(atMost(limit))
    },
  )

const newestIn = inOrder('desc')
const oldestIn = inOrder('asc')

export async function selectTurnMessages(db: Db, sessionId: SessionId, turnId: string): Promise<MessageRow[]> {
  return selectOfTurn(db, sessionId, turnId)
}

const selectOfTurn = prepared((db, sessionId: SessionId, turnId: string) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('turn_id', '=', turnId)
    .orderBy('seq'),
)

const HEARD = 20

/** The newest mail that a turn took, in order. */
export async function selectHeard(db: Db, sessionId: SessionId, turnId: string): Promise<MessageRow[]> {
  const newest = await db
    .selectFrom('messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('turn_id', '=', turnId)
    .where('role', '=', 'user')
    .orderBy('seq', 'desc')
    .limit(HEARD)
    .execute()
  return newest.toReversed()
}

export async function updateMessage(
  db: Db,
  sessionId: SessionId,
  seq: number,
  change: Partial<MessageRow>,
): Promise<void> {
  await db.updateTable('messages').set(change).where('session_id', '=', sessionId).where('seq', '=', seq).execute()
}

export async function deleteMessages(db: Db, sessionId: SessionId): Promise<void> {
  await db.deleteFrom('messages').where('session_id', '=', sessionId).execute()
}

export function toRow(
  sessionId: SessionId,
  seq: number,
  message: NewMessage,
  at: number,
  parts = JSON.stringify(message.parts),
): MessageRow {
  return {
    session_id: sessionId,
    seq,
    role: message.role,
    parts,
    from_kind: message.from?.kind ?? null,
    from_agent: message.from?.agent ?? null,
    from_session_id: message.from?.sessionId ?? null,
    from_handle: message.from?.handle ?? null,
    asks: message.from?.asks ? 1 : null,
    mail_id: message.mailId ?? null,
    turn_id: message.turnId ?? null,
    model: message.model ?? null,
    tokens_input: message.tokens?.input ?? null,
    tokens_output: message.tokens?.output ?? null,
    tokens_cached: message.tokens?.cached ?? null,
    tokens_reasoning: message.tokens?.reasoning ?? null,
    cost_usd: message.costUsd ?? null,
    duration_ms: message.durationMs ?? null,
    interrupted: message.interrupted ? 1 : 0,
    cut: message.cut ? 1 : 0,
    edited_at: null,
    deleted_at: null,
    created_at: at,
  }
}

/** A row that cannot be read keeps its place and says so, and never stops the rest. */
export function toMessage(row: MessageRow): Message {
  const message = briefMessage(row.session_id, row, {})
  if (row.mail_id !== null) message.mailId = row.mail_id
  if (row.tokens_input !== null) message.tokens = tokensOf(row)
  if (row.cost_usd !== null) message.costUsd = row.cost_usd
  if (row.duration_ms !== null) message.durationMs = row.duration_ms
  if (row.edited_at !== null) message.editedAt = iso(row.edited_at)
  return message
}

const PAGE = 500

/**
 * Reads a log for a runner: everything but what the messages cost. It reads in pages and shares equal texts, because
 * the memory that thousands of messages leave behind costs more than reading them.
 */
export async function readHistory(
  db: Db,
  sessionId: SessionId,
  { after, before }: { after: number; before: number },
  each: (message: Message, bytes: number) => void,
): Promise<void> {
  const seen: Seen = {}
  for (let from = after, full = true; full; ) {
    const rows = await selectBrief(db, sessionId, { after: from, before })
    for (const row of rows) each(briefMessage(sessionId, row, seen), row.parts.length)
    full = rows.length === PAGE
    from = Math.max(from + 1, rows.at(-1)?.seq ?? 0)
  }
}

const briefColumns = [
  'seq',
  'role',
  'parts',
  'from_kind',
  'from_agent',
  'from_session_id',
  'from_handle',
  'asks',
  'turn_id',
  'model',
  'interrupted',
  'cut',
  'deleted_at',
  'created_at',
] as const satisfies (keyof MessageRow)[]
type BriefRow = Pick<MessageRow, (typeof briefColumns)[number]>

const selectBrief = prepared((db, sessionId: SessionId, range: { after: number; before: number }) =>
  db
    .selectFrom('messages')
    .select(briefColumns)
    .where('session_id', '=', sessionId)
    .where('seq', '>', range.after)
    .where('seq', '<', range.before)
    .orderBy('seq')
    .limit(atMost(PAGE)),
)

/** The newest message of these at which the vendor counted all that it read, with its answer. */
export async function newestCounted(
  db: Db,
  sessionId: SessionId,
  range: { after: number; before: number },
): Promise<{ seq: number; tokens: number } | undefined> {
  const [row] = await selectCounted(db, sessionId, range)
  return row && { seq: row.seq, tokens: (row.tokens_input ?? 0) + (row.tokens_output ?? 0) }
}

const selectCounted = prepared((db, sessionId: SessionId, range: { after: number; before: number }) =>
  db
    .selectFrom('messages')
    .select(['seq', 'tokens_input', 'tokens_output'])
    .where('session_id', '=', sessionId)
    .where('seq', '>', range.after)
    .where('seq', '<', range.before)
    .where('tokens_input', '>', 0)
    .orderBy('seq', 'desc')
    .limit(atMost(1)),
)

/** Values of the message before, used again where the next message has the same. */
interface Seen {
  from?: From
  turnId?: string
  model?: string
}

const roles: Readonly<Record<string, Role>> = { user: 'user', assistant: 'assistant', tool: 'tool', system: 'system' }

function briefMessage(sessionId: SessionId, row: BriefRow, seen: Seen): Message {
  const message: Message = {
    id: messageId(sessionId, row.seq),
    seq: row.seq,
    role: roles[row.role] ?? row.role,
    parts: readParts(sessionId, row),
    createdAt: iso(row.created_at),
  }
  if (row.from_kind !== null) {
    if (!isFrom(seen.from, row)) seen.from = fromOf(row)
    message.from = seen.from
  }
  if (row.turn_id !== null) {
    if (seen.turnId !== row.turn_id) seen.turnId = row.turn_id
    message.turnId = seen.turnId
  }
  if (row.model !== null) {
    if (seen.model !== row.model) seen.model = row.model
    message.model = seen.model
  }
  if (row.interrupted) message.interrupted = true
  if (row.cut) message.cut = true
  if (row.deleted_at !== null) message.deletedAt = iso(row.deleted_at)
  return message
}

const isFrom = (from: From | undefined, row: BriefRow): from is From =>
  from !== undefined &&
  from.kind === row.from_kind &&
  from.agent === (row.from_agent ?? undefined) &&
  from.sessionId === (row.from_session_id ?? undefined) &&
  from.handle === (row.from_handle ?? undefined) &&
  (from.asks ?? false) === (row.asks === 1)

export const fromOf = (row: {
  from_kind: From['kind'] | null
  from_agent: string | null
  from_session_id?: string | null
  from_handle?: string | null
  asks?: number | null
}): From => ({
  kind: row.from_kind ?? 'system',
  ...(row.from_agent === null ? {} : { agent: row.from_agent }),
  ...(row.from_session_id == null ? {} : { sessionId: row.from_session_id }),
  ...(row.from_handle == null ? {} : { handle: row.from_handle }),
  ...(row.asks ? { asks: true } : {}),
})

export function readParts(
  sessionId: SessionId,
  { seq, parts }: Pick<MessageRow, 'seq' | 'parts'>,
  table: 'messages' | 'tombstones' = 'messages',
): Part[] {
  const place = () => ({ table, key: messageId(sessionId, seq), column: 'parts' })
  return readJson(place, parts, areParts, unreadableParts)
}

const unreadableParts: Part[] = [{ type: 'text', text: '[this message could not be read from the database]' }]

const areParts = (value: unknown): boolean => Array.isArray(value) && value.every(isPart)

/** As much as readers rely on; a schema for each part of a long history would cost more than reading it. */
function isPart(part: unknown): boolean {
  if (!isObject(part)) return false
  if (part.type === 'text' || part.type === 'reasoning') return typeof part.text === 'string'
  if (part.type === 'file') return typeof part.data === 'string' && typeof part.mediaType === 'string'
  return (part.type === 'tool-call' || part.type === 'tool-result') && typeof part.name === 'string'
}

/** Whether the session has ever read mail from the other one. */
export async function hasWrittenTo(db: Db, sessionId: SessionId, from: SessionId): Promise<boolean> {
  const row = await db
    .selectFrom('messages')
    .select('seq')
    .where('session_id', '=', sessionId)
    .where('from_session_id', '=', from)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
