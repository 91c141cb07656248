import { insertCompaction, latestCompaction, updateCompaction } from '../../../store/compactions.ts'
import { renewPrompt } from '../../../store/prompts.ts'
import type { CompactionRow, SessionRow } from '../../../store/tables.ts'
import { aboutSession, type Tx } from '../../base/index.ts'
import { settleRequest, type Used } from '../../spending/index.ts'
import { asTurn, type Turn } from '../turn.ts'

/** What a compaction is to do, as it is written down when it begins. */
export type CompactionOrder = Pick<
  CompactionRow,
  'turn_id' | 'why' | 'focus' | 'from_seq' | 'cut_before' | 'summary' | 'summed_to' | 'tokens_before' | 'tokens_after'
>

/** Goes on with what this turn began before it was killed, or begins. */
export function beginCompaction(turn: Turn, order: CompactionOrder): Promise<CompactionRow> {
  return asTurn(turn, 'compaction.begin', async (tx, session) => {
    const latest = await latestCompaction(tx.db, session.id)
    if (latest?.state === 'open' && latest.turn_id === order.turn_id) return latest
    if (latest?.state === 'open') await updateCompaction(tx.db, latest, { state: 'failed', ended_at: tx.now })
    const row: CompactionRow = {
      ...order,
      session_id: session.id,
      number: (latest?.number ?? 0) + 1,
      state: 'open',
      at_seq: session.next_seq,
      flush: '{}',
      requests: 0,
      reason: null,
      started_at: tx.now,
      ended_at: null,
    }
    await insertCompaction(tx.db, row)
    const { number, turn_id: turnId, why, tokens_before: tokens } = row
    tx.record('compaction.started', aboutSession(session), { number, turnId, why, tokens })
    return row
  })
}

/** Writes down how far it has come, together with what the request for it cost. */
export function noteCompaction(
  turn: Turn,
  row: CompactionRow,
  change: Pick<CompactionRow, 'flush'> | Pick<CompactionRow, 'summary' | 'summed_to'>,
  used?: Used,
): Promise<void> {
  return asTurn(turn, 'compaction.note', async (tx, session) => {
    if (used) await settle(turn, tx, session, used)
    Object.assign(row, change)
    await updateCompaction(tx.db, row, change)
  })
}

/** The summary takes the place of what it sums up. Histories in memory are stale, and the prompt is made anew. */
export function finishCompaction(turn: Turn, row: CompactionRow, tokensAfter: number): Promise<void> {
  return asTurn(turn, 'compaction.finish', async (tx, session) => {
    const summedBefore = turn.history.compaction?.from_seq ?? 1
    const done = { state: 'done', at_seq: session.next_seq, tokens_after: tokensAfter, ended_at: tx.now } as const
    await updateCompaction(tx.db, row, done)
    await renewPrompt(tx.db, session.id)
    session.compaction_count += 1
    session.log_version += 1
    session.updated_at = tx.now
    if (row.why === 'asked') session.compact_focus = null
    tx.record('session.compacted', aboutSession(session), {
      number: row.number,
      turnId: row.turn_id,
      fromSeq: row.from_seq,
      cutBefore: row.cut_before,
      summedUp: row.from_seq - summedBefore,
      tokensBefore: row.tokens_before,
      tokensAfter,
    })
  })
}

/** Everything stays as it was; people are told why. */
export function failCompaction(
  turn: Turn,
  { row, turnId, reason, used }: { row?: CompactionRow; turnId: string; reason: string; used?: Used | undefined },
): Promise<void> {
  return asTurn(turn, 'compaction.fail', async (tx, session) => {
    if (used) await settle(turn, tx, session, used)
    if (row) await updateCompaction(tx.db, row, { state: 'failed', reason, ended_at: tx.now })
    if (row === undefined || row.why === 'asked') session.compact_focus = null
    tx.record('compaction.failed', aboutSession(session), { turnId, reason })
  })
}

/** A request that brought nothing is paid for; what it was for stays open. */
export const payInVain = (turn: Turn, used: Used): Promise<void> =>
  asTurn(turn, 'compaction.stop', (tx, session) => settle(turn, tx, session, used))

const settle = (turn: Turn, tx: Tx, session: SessionRow, used: Used): Promise<void> =>
  settleRequest(tx, session, turn.row, { ...used, outcome: used.outcome === 'answered' ? 'compaction' : used.outcome })
