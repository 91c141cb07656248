import type { Message } from '../../../contract/messages.ts'
import { isReplay } from '../../../contract/recordings.ts'
import { tokensIn } from '../../sessions/index.ts'
import type { Turn } from '../turn.ts'
import { whyTooLarge } from './cause.ts'
import { ASSUMED_WINDOW, promptTokens, weightOfAll } from './size.ts'

/** One after the other without an answer in between, then the turn stops. */
const AT_MOST = 2
/** A history that was compacted, or could not be, grows by this share before it is compacted again. */
const GROWTH = 0.1

/** Before a request: whether the history has to be compacted first, or why the request cannot be made at all. */
export function compactionDue(turn: Turn, appended: readonly Message[]): 'due' | { readonly stop: string } | undefined {
  if (!canCompact(turn.setup)) return undefined
  const { shrinking, history, setup } = turn
  const window = turn.window ?? ASSUMED_WINDOW
  const tokens = promptTokens(turn, appended)
  if (tokens <= setup.compaction.at * window) return undefined
  // Where the window is a guess, the vendor knows better.
  const fits = tokens <= window || turn.window === undefined
  const spent = shrinking.failed !== undefined || shrinking.made >= AT_MOST
  if (spent) return fits ? undefined : { stop: shrinking.failed ?? whyTooLarge(turn, `${window} tokens`) }
  const after = history.compaction?.tokens_after ?? 0
  const fresh = tokensIn(history.weight + weightOfAll(appended) - (history.failedAt ?? 0))
  const tried = history.failedAt !== undefined && fresh <= GROWTH * Math.max(window, tokens)
  const grown = tokens > after + GROWTH * window && !tried
  return grown || !fits ? 'due' : undefined
}

/** What runs without models minds its own context, and a recording is played from its beginning. */
export const canCompact = ({ runtime, model }: Pick<Turn['setup'], 'runtime' | 'model'>): boolean =>
  runtime.models !== undefined && !isReplay(model)

/** After a vendor's refusal: one compaction, then the cause. */
export const refusedStop = (turn: Turn, said: string): string | undefined =>
  !canCompact(turn.setup) || turn.shrinking.refused ? `${said} ${whyTooLarge(turn, 'less')}` : undefined
