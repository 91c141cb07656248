import { setTimeout as delay } from 'node:timers/promises'
import type { SessionRow } from '../../store/tables.ts'
import { aboutSession, type Candidate, type Candidates, type Closure, type StepResult, type Tx } from '../base/index.ts'
import { affordable, settleRequest, type Used } from '../spending/index.ts'
import { type CandidateChoice, createCandidateChoice } from './candidate-choice.ts'
import { asTurn, type Turn } from './turn.ts'

const FIRST_WAIT_MS = 500

/** One request: what came of it, and what it used. */
interface Tried {
  readonly result: StepResult
  /** Absent when it is written down already. */
  readonly used?: Used
}

interface TriedWith extends Tried {
  readonly candidate: Candidate
}

/** How a request is made: which one it is in this step, and how long it may wait to be sent. */
interface RequestPlan {
  readonly attempt: number
  readonly patienceMs: number
}

/**
 * Asks one candidate after the other. While a vendor fails or takes no more requests, the request waits in the queue of its
 * account, or goes to another. A request that failed by itself is made again, a few times. After a failure of the account or
 * the model the next candidate is asked. One that needs a person ends it. An event tells of every wait and every switch, and
 * what a failed request used is written down before the next is sent.
 */
export async function tryModels(
  turn: Turn,
  models: readonly string[],
  ask: (candidate: Candidate, asking: RequestPlan) => Promise<Tried>,
): Promise<TriedWith | { readonly problem: string; readonly end?: 'limit' }> {
  const { core, failed } = turn
  const { usable, left } = await candidatesOf(turn, models)
  const order = [
    ...usable.filter((one) => !failed.has(candidateName(one))),
    ...usable.filter((one) => failed.has(candidateName(one))),
  ]
  const choice = createCandidateChoice({ clock: core.clock, closure: (one) => closureOf(turn, one) }, order)
  let candidate = choice.next() ?? order[0]
  if (candidate === undefined) {
    const priceless = left.find(({ end }) => end !== undefined)
    if (priceless) return { problem: priceless.reason, end: 'limit' }
    const reason = left[0]?.reason ?? `No model can be used: ${models.join(', ')}.`
    return {
      problem: `${reason} Choose one with "troupe sessions model"; for new sessions, in the agent's file or as defaultModel in the settings.`,
    }
  }
  const unusable = left.find(({ model }) => model === models[0])
  if (unusable) await recordSwitch(turn, unusable.model, candidate, unusable.reason)
  await tellClosure(turn, candidate)

  for (let attempt = 1; ; attempt++) {
    turn.waitsFor = closureOf(turn, candidate)?.reason
    const tried: Tried = await ask(candidate, { attempt, patienceMs: choice.patienceFor(candidate) })
    const { error } = tried.result
    if (turn.stop.signal.aborted) return { ...tried, candidate }
    turn.waitsFor = undefined
    if (error === undefined) return { ...tried, candidate }
    choice.failed(candidate, error)
    const next = choice.next()
    if (next === undefined) return { ...tried, candidate }
    if (next === candidate) {
      const waitMs = waitBefore(turn, choice, candidate, error)
      await askAgain(
        turn,
        candidate,
        { attempt: choice.failures(candidate), waitMs, reason: error.message },
        tried.used,
      )
      // A busy vendor is waited for in the queue of the account.
      if (error.kind !== 'busy') await delay(waitMs, undefined, { signal: turn.stop.signal }).catch(() => {})
      if (turn.stop.signal.aborted) return { result: stopped(tried.result), candidate }
    } else {
      failed.add(candidateName(candidate))
      await recordSwitch(turn, candidateName(candidate), next, error.message, tried.used)
      await tellClosure(turn, next)
    }
    candidate = next
  }
}

/** A runtime that asks no models has one way to take a step. */
async function candidatesOf({ project, setup }: Turn, models: readonly string[]): Promise<Candidates> {
  const known = setup.runtime.models
  if (known === undefined)
    return { usable: [{ model: setup.model, account: 'default', patienceMs: 0, destination: undefined }], left: [] }
  return affordable(known, setup.maxCostUsd, await known.candidates(project, models))
}

const closureOf = ({ setup }: Turn, candidate: Candidate): Closure | undefined =>
  setup.runtime.models?.closure(candidate)

const stopped = ({ tokens }: StepResult): StepResult => ({ parts: [], tokens, finish: 'aborted' })

/** When the queue sends the next one; for a request that failed by itself doubling with jitter, unless the vendor said how long. */
function waitBefore(
  turn: Turn,
  choice: CandidateChoice,
  candidate: Candidate,
  error: NonNullable<StepResult['error']>,
): number {
  const closure = closureOf(turn, candidate)
  if (error.kind === 'busy') return closure ? Math.max(0, Math.round(closure.until - turn.core.clock.now())) : 0
  if (error.retryAfterMs !== undefined) return Math.round(error.retryAfterMs)
  return Math.round(FIRST_WAIT_MS * 2 ** (choice.failures(candidate) - 1) * (0.5 + Math.random()))
}

async function askAgain(
  turn: Turn,
  candidate: Candidate,
  said: { readonly attempt: number; readonly waitMs: number; readonly reason: string },
  used: Used | undefined,
): Promise<void> {
  await asTurn(turn, 'model.retry', async (tx, session) => {
    await settleFailed(turn, tx, session, used)
    tx.record('model.retried', aboutSession(session), { model: candidateName(candidate), ...said })
  })
}

/** A request that has to wait before it was ever sent: people are told what it waits for. */
async function tellClosure(turn: Turn, candidate: Candidate): Promise<void> {
  const closure = closureOf(turn, candidate)
  if (closure === undefined || closure.until <= turn.core.clock.now()) return
  const { reason, since, until } = closure
  await asTurn(turn, 'model.queue', async (tx, session) => {
    const times = { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
    tx.record('model.queued', aboutSession(session), { model: candidateName(candidate), reason, ...times })
  })
}

async function recordSwitch(turn: Turn, from: string, to: Candidate, reason: string, used?: Used): Promise<void> {
  await asTurn(turn, 'model.switch', async (tx, session) => {
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
