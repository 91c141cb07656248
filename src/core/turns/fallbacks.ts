import { setTimeout as delay } from 'node:timers/promises'
import type { SessionRow } from '../../store/tables.ts'
import {
  aboutSession,
  asRunner,
  type Candidate,
  type Candidates,
  type ModelError,
  type StepResult,
  type Tx,
} from '../base/index.ts'
import { affordable, settleRequest, type Used } from '../spending/index.ts'
import type { Turn } from './turn.ts'

const RETRIES = 4
const FIRST_WAIT_MS = 500
/** The longest wait before a retry; the shorter one holds while there is another candidate to go to. */
const LONGEST_WAIT_MS = 5 * 60_000
const LONGEST_WAIT_WITH_CHOICE_MS = 20_000

/** One request: what came of it, and what it used. */
interface Tried {
  readonly result: StepResult
  /** Absent when it is written down already. */
  readonly used?: Used
}

interface TriedWith extends Tried {
  readonly candidate: Candidate
}

/**
 * Asks one candidate after the other. After a failure that may pass, the same candidate is asked again, a few times. After
 * one of the account, the model or the vendor, the next is asked, and an event says so. One that needs a person ends it.
 * What a failed request used is written down before the next is sent.
 */
export async function tryModels(
  turn: Turn,
  models: readonly string[],
  ask: (candidate: Candidate, attempt: number) => Promise<Tried>,
): Promise<TriedWith | { readonly problem: string; readonly end?: 'limit' }> {
  const { failed } = turn
  const { usable, left } = await candidatesOf(turn, models)
  const order = [
    ...usable.filter((one) => !failed.has(candidateName(one))),
    ...usable.filter((one) => failed.has(candidateName(one))),
  ]
  const [first] = order
  if (first === undefined) {
    const priceless = left.find(({ end }) => end !== undefined)
    if (priceless) return { problem: priceless.reason, end: 'limit' }
    const reason = left[0]?.reason ?? `No model can be used: ${models.join(', ')}.`
    return { problem: `${reason} Choose one with "troupe sessions model", or set defaultModel in the settings.` }
  }
  const unusable = left.find(({ model }) => model === models[0])
  if (unusable) await recordSwitch(turn, unusable.model, first, unusable.reason)

  let attempts = 0
  for (const [at, candidate] of order.entries()) {
    const next = order[at + 1]
    const tried = await withRetries(turn, candidate, next !== undefined, () => ask(candidate, ++attempts))
    const { error } = tried.result
    if (error === undefined || turn.stop.signal.aborted) return { ...tried, candidate }
    if (!isWorthAnother(error)) return { ...tried, candidate }
    failed.add(candidateName(candidate))
    if (next === undefined) return { ...tried, candidate }
    await recordSwitch(turn, candidateName(candidate), next, error.message, tried.used)
  }
  throw new Error('unreachable: the last candidate returns')
}

/** A runtime that asks no models has one way to take a step. */
async function candidatesOf({ project, setup }: Turn, models: readonly string[]): Promise<Candidates> {
  const known = setup.runtime.models
  if (known === undefined)
    return { usable: [{ model: setup.model, account: 'default', destination: undefined }], left: [] }
  return affordable(known, setup.maxCostUsd, await known.candidates(project, models))
}

const isWorthAnother = ({ kind }: ModelError): boolean => kind === 'retry' || kind === 'switch' || kind === 'auth'

async function withRetries(
  turn: Turn,
  candidate: Candidate,
  hasChoice: boolean,
  ask: () => Promise<Tried>,
): Promise<Tried> {
  const longest = hasChoice ? LONGEST_WAIT_WITH_CHOICE_MS : LONGEST_WAIT_MS
  for (let attempt = 1; ; attempt++) {
    const tried = await ask()
    const { error } = tried.result
    if (error?.kind !== 'retry' || attempt > RETRIES || turn.stop.signal.aborted) return tried
    const waitMs = waitBefore(attempt, error)
    if (waitMs > longest) return tried
    await asRunner(turn.core, turn.lease, 'model.retry', async (tx, session) => {
      await settleFailed(turn, tx, session, tried.used)
      const said = { model: candidateName(candidate), attempt, waitMs, reason: error.message }
      tx.record('model.retried', aboutSession(session), said)
    })
    await delay(waitMs, undefined, { signal: turn.stop.signal }).catch(() => {})
    if (turn.stop.signal.aborted) return { result: { parts: [], tokens: tried.result.tokens, finish: 'aborted' } }
  }
}

/** Doubling with jitter, unless the vendor said how long. */
function waitBefore(attempt: number, error: ModelError): number {
  if (error.retryAfterMs !== undefined) return Math.round(error.retryAfterMs)
  return Math.round(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
}

async function recordSwitch(turn: Turn, from: string, to: Candidate, reason: string, used?: Used): Promise<void> {
  await asRunner(turn.core, turn.lease, 'model.switch', async (tx, session) => {
    await settleFailed(turn, tx, session, used)
    tx.record('model.switched', aboutSession(session), { from, to: candidateName(to), reason })
  })
}

async function settleFailed(turn: Turn, tx: Tx, session: SessionRow, used: Used | undefined): Promise<void> {
  if (used) await settleRequest(tx, session, turn.row, { ...used, outcome: 'failed' })
}

/** The candidate's name for people; the default account is left out. */
const candidateName = ({ model, account }: Candidate): string =>
  account === 'default' ? model : `${model} (${account})`
