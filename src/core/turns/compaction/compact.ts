import type { CompactionRow } from '../../../store/tables.ts'
import { summaryText, tokensIn, viewOf, weightOf } from '../../sessions/index.ts'
import type { CompactNow, Made } from '../safe-point.ts'
import { renewTurn, type Turn } from '../turn.ts'
import { whyTooLarge } from './cause.ts'
import { canCompact } from './due.ts'
import { flush } from './flush.ts'
import { makeShorter } from './keep.ts'
import { ASSUMED_WINDOW, fixedTokens, promptTokens } from './size.ts'
import { beginCompaction, type CompactionOrder, failCompaction, finishCompaction } from './steps.ts'
import { sumUp } from './summary.ts'

/**
 * Makes the history shorter for the model: old results are cut; where that is not enough, the agent writes to memory what
 * must last, and a summary takes the place of the older messages. Whatever fails leaves everything as it was.
 */
export async function compact(turn: Turn, now: CompactNow): Promise<Made | { readonly problem: string }> {
  const order = orderFor(turn, now)
  if (typeof order === 'string') return without(turn, now, order)
  const row = await beginCompaction(turn, order)
  const sums = row.from_seq > (turn.history.compaction?.from_seq ?? 1)
  const failed = sums ? ((await flush(turn, row, now.deadline)) ?? (await sumUp(turn, row))) : undefined
  if (failed === 'stopped') return {}
  const tokens = Math.ceil(tokensAfter(turn, row) * vendorCounts(turn))
  const problem = failed?.problem ?? (tokens >= order.tokens_before ? NOT_SHORTER : undefined)
  if (problem !== undefined) return without(turn, now, problem, { row, used: failed?.used })
  await finishCompaction(turn, row, tokens)
  turn.shrinking = {
    ...turn.shrinking,
    made: turn.shrinking.made + 1,
    refused: turn.shrinking.refused || now.why === 'refused',
  }
  return (await renewTurn(turn)) ?? doneFor(now)
}

/** A compaction makes room for the mail that was taken, not for more. */
const doneFor = ({ why }: CompactNow): Made => (why === 'asked' ? {} : { compacted: true })

const NOTHING = 'there is nothing to sum up yet: the last messages stay as they are.'
const NOT_SHORTER = 'the summary is not shorter than what it would stand for.'
const NOT_HERE = 'its model plays a recording, or its runtime minds its own context.'

/** What to do, or why there is nothing to do. */
function orderFor(turn: Turn, { why, focus, turnId }: CompactNow): CompactionOrder | string {
  const { history, setup } = turn
  if (!canCompact(setup)) return NOT_HERE
  const { prompt, tools } = fixedTokens(turn)
  const ratio = vendorCounts(turn)
  const tokens = Math.ceil(estimated(turn) * ratio)
  const refused = why === 'refused'
  // The vendor refused what was sent, whatever is known of its window.
  const window = Math.min(turn.window ?? ASSUMED_WINDOW, refused ? tokens : Number.POSITIVE_INFINITY)
  const { compaction } = history
  const messages = history.messages.slice(compaction?.summary ? 1 : 0)
  const shorter = makeShorter({
    messages,
    summary: compaction?.summary ? tokensIn(weightOf(history.messages[0]!)) : 0,
    fixed: prompt + tools,
    window: window / ratio,
    limit: (setup.compaction.at * window) / ratio,
    known: turn.window !== undefined && !refused,
    keepTurns: setup.compaction.keepTurns,
    asked: why === 'asked',
  })
  if (shorter === undefined) return why === 'asked' ? NOTHING : whyTooLarge(turn, refused ? 'less' : `${window} tokens`)
  const first = compaction?.from_seq ?? 1
  const seqAt = (place: number): number => messages[place]?.seq ?? history.nextSeq
  return {
    turn_id: turnId,
    why,
    focus,
    from_seq: shorter.from === 0 ? first : seqAt(shorter.from),
    cut_before: Math.max(compaction?.cut_before ?? 0, seqAt(shorter.cutBefore)),
    summary: compaction?.summary ?? '',
    summed_to: first - 1,
    tokens_before: tokens,
    tokens_after: shorter.tokens,
  }
}

/** How much the model reads now, all of it estimated. */
function estimated(turn: Turn): number {
  const { prompt, tools } = fixedTokens(turn)
  return prompt + tools + tokensIn(turn.history.weight)
}

/** Where a vendor counts more than the estimate, all of it weighs so many times as much. */
const vendorCounts = (turn: Turn): number => Math.max(1, promptTokens(turn) / estimated(turn))

/** The turn goes on as it can. Whoever asked is told why nothing was done. */
async function without(
  turn: Turn,
  now: CompactNow,
  reason: string,
  more: { row?: CompactionRow; used?: Parameters<typeof failCompaction>[1]['used'] } = {},
): Promise<Made> {
  const { why, turnId } = now
  if (why === 'asked' || more.row) await failCompaction(turn, { ...more, turnId, reason })
  const told = more.row ? `The history could not be compacted: ${reason}` : reason
  if (why !== 'asked') {
    turn.shrinking = { ...turn.shrinking, failed: told }
    turn.history.failedAt = turn.history.weight
  }
  return why === 'refused'
    ? { failure: { reason: `The prompt is too long for ${turn.setup.model}. ${told}` } }
    : doneFor(now)
}

/** What the model will read, by the same estimate as before. */
function tokensAfter(turn: Turn, row: CompactionRow): number {
  const { prompt, tools } = fixedTokens(turn)
  const kept = turn.history.messages.filter(({ seq }) => seq >= row.from_seq)
  const summary = row.summary === '' ? 0 : Buffer.byteLength(summaryText(row.summary))
  return prompt + tools + tokensIn(kept.reduce((sum, one) => sum + weightOf(viewOf(one, row.cut_before)), summary))
}
