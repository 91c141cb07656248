import { setTimeout as delay } from 'node:timers/promises'
import type { Candidate, ModelError, StepResult } from '../core.ts'
import { transact } from '../transaction.ts'
import type { Turn } from './turn.ts'

const RETRIES = 4
const FIRST_WAIT_MS = 500
/** A wait that a vendor asks for is waited out up to this; with somewhere else to go, up to the shorter one. */
const LONGEST_WAIT_MS = 5 * 60_000
const LONGEST_WAIT_WITH_CHOICE_MS = 20_000

export interface Walked {
  readonly result: StepResult
  readonly candidate: Candidate
}

/**
 * Asks one candidate after the other: a failure that may pass is asked again, bounded; one that belongs to the account,
 * the model or the vendor goes on to the next candidate, visibly; one that a person has to see ends it.
 */
export async function walkChain(
  turn: Turn,
  models: readonly string[],
  ask: (candidate: Candidate, attempt: number) => Promise<StepResult>,
): Promise<Walked | { readonly problem: string }> {
  const { usable, left } = await turn.core.runtimes.model!.candidates(turn.project, models)
  const { failed } = turn
  const order = [
    ...usable.filter((one) => !failed.has(nameOf(one))),
    ...usable.filter((one) => failed.has(nameOf(one))),
  ]
  const [first] = order
  if (first === undefined) {
    const reason = left[0]?.reason ?? `No model can be used: ${models.join(', ')}.`
    return { problem: `${reason} Choose one with "troupe sessions model", or set defaultModel in the settings.` }
  }
  const unusable = left.find(({ model }) => model === models[0])
  if (unusable) await recordSwitch(turn, unusable.model, first, unusable.reason)

  let attempts = 0
  for (const [at, candidate] of order.entries()) {
    const next = order[at + 1]
    const result = await withRetries(turn, candidate, next !== undefined, () => ask(candidate, ++attempts))
    if (result.error === undefined || turn.stop.signal.aborted) return { result, candidate }
    if (!isWorthAnother(result.error)) return { result, candidate }
    failed.add(nameOf(candidate))
    if (next === undefined) return { result, candidate }
    await recordSwitch(turn, nameOf(candidate), next, result.error.message)
  }
  throw new Error('unreachable: the last candidate returns')
}

const isWorthAnother = ({ kind }: ModelError): boolean => kind === 'retry' || kind === 'switch' || kind === 'auth'

async function withRetries(
  turn: Turn,
  candidate: Candidate,
  hasChoice: boolean,
  ask: () => Promise<StepResult>,
): Promise<StepResult> {
  const longest = hasChoice ? LONGEST_WAIT_WITH_CHOICE_MS : LONGEST_WAIT_MS
  for (let attempt = 1; ; attempt++) {
    const result = await ask()
    if (result.error?.kind !== 'retry' || attempt > RETRIES || turn.stop.signal.aborted) return result
    const waitMs = waitBefore(attempt, result.error)
    if (waitMs > longest) return result
    const { message: reason } = result.error
    await transact(turn.core, 'model.retry', async (tx) => {
      tx.record('model.retried', turn.about, { model: nameOf(candidate), attempt, waitMs, reason })
    })
    await delay(waitMs, undefined, { signal: turn.stop.signal }).catch(() => {})
    if (turn.stop.signal.aborted) return { parts: [], tokens: result.tokens, finish: 'aborted' }
  }
}

/** Doubling with jitter, unless the vendor said how long. */
function waitBefore(attempt: number, error: ModelError): number {
  if (error.retryAfterMs !== undefined) return Math.round(error.retryAfterMs)
  return Math.round(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
}

async function recordSwitch(turn: Turn, from: string, to: Candidate, reason: string): Promise<void> {
  await transact(turn.core, 'model.switch', async (tx) => {
    tx.record('model.switched', turn.about, { from, to: nameOf(to), reason })
  })
}

/** As people read it: the account only where it is not the only one. */
const nameOf = ({ model, account }: Candidate): string => (account === 'default' ? model : `${model} (${account})`)
