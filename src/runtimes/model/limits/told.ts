import { noTokens } from '../../../contract/messages.ts'
import type { StepResult } from '../../../core/base/index.ts'
import type { VendorFailure } from '../vendors/failure.ts'
import { type Entry, type Met, QUEUE } from './limiter.ts'

const NO_KEY_MS = 5 * 60_000
const NO_CREDIT_MS = 15 * 60_000

/** What a failed request means for the others of its account. */
export function afterStep({ kind, limits, message: reason, retryAfterMs: waitMs }: VendorFailure): Met {
  if (kind === 'busy') return { kind: limits === 'limited' ? 'limited' : 'down', waitMs, reason }
  if (limits !== 'exhausted') return { kind: 'other' }
  return { kind: 'exhausted', waitMs: waitMs ?? (kind === 'auth' ? NO_KEY_MS : NO_CREDIT_MS), reason }
}

/** A request that was never sent. */
export function notLetIn(entry: Extract<Entry, { refused: unknown }>, provider: string, now: number): StepResult {
  const nothing = { parts: [], tokens: noTokens, unsent: true } as const
  if (entry.refused === 'aborted') return { ...nothing, finish: 'aborted' }
  if ('closure' in entry) {
    const { reason, until } = entry.closure
    const message = `${reason} The next request is sent in ${Math.ceil((until - now) / 1000)} s.`
    return { ...nothing, finish: 'error', error: { kind: 'busy', message: until > now ? message : reason } }
  }
  const message = `${QUEUE} requests wait for ${provider} already; try again when there are fewer.`
  return { ...nothing, finish: 'error', error: { kind: 'switch', message } }
}
