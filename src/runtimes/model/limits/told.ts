import { noTokens } from '../../../contract/messages.ts'
import type { StepResult } from '../../../core/base/index.ts'
import type { VendorFailure } from '../vendors/failure.ts'
import { type Entry, type Met, QUEUE } from './limiter.ts'

const NO_KEY_MS = 5 * 60_000
const NO_CREDIT_MS = 15 * 60_000

/** What a failed request means for the others of its account. */
export function afterStep(error: VendorFailure): Met {
  if (error.limits === 'busy') return { kind: 'limited', waitMs: error.retryAfterMs }
  if (error.limits !== 'exhausted') return { kind: 'other' }
  const waitMs = error.retryAfterMs ?? (error.kind === 'auth' ? NO_KEY_MS : NO_CREDIT_MS)
  return { kind: 'exhausted', waitMs, reason: error.message }
}

/** A request that was never sent. */
export function notLetIn(entry: Extract<Entry, { refused: unknown }>, provider: string): StepResult {
  const nothing = { parts: [], tokens: noTokens }
  if (entry.refused === 'aborted') return { ...nothing, finish: 'aborted' }
  if (entry.refused === 'full') {
    const message = `${QUEUE} requests wait for ${provider} already; try again when there are fewer.`
    return { ...nothing, finish: 'error', error: { kind: 'switch', message } }
  }
  const message = `${provider} takes no more requests for another ${Math.ceil(entry.waitMs / 60_000)} minutes.`
  return { ...nothing, finish: 'error', error: { kind: 'retry', message, retryAfterMs: entry.waitMs } }
}
