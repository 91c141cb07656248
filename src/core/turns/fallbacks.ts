import { setTimeout as delay } from 'node:timers/promises'
import { noTokens } from '../../contract/messages.ts'
import type { SessionRow } from '../../store/tables.ts'
import { aboutSession, type Candidate, type StepResult, type Tx } from '../base/index.ts'
import { settleRequest, type Used } from '../spending/index.ts'
import type { Asking, CandidateChoice } from './candidate-choice.ts'
import { moneyFor, type RequestSize } from './money.ts'
import { candidateName, closureOf } from './plan.ts'
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

/** How a request is made: which one it is, how long it may wait to be sent, and how much output it may ask for. */
interface RequestPlan {
  readonly id: string
  readonly patienceMs: number
  readonly paid: number | undefined
}

/** What all tries of a request have in common. */
interface Tries {
  readonly paid?: number | undefined
  readonly size?: RequestSize
  idOf(attempt: number): string
}

/**
 * Asks one candidate after the other. While a vendor fails or takes no more requests, the request waits in the queue of its
 * account, or goes to another. A request that failed by itself is made again, a few times. After a failure of the account or
 * the model the next candidate is asked. One that needs a person ends it. An event tells of every wait and every switch. What
 * a failed request used is written down before the next is sent, and the money for the next is put aside there; where there
 * is none, the step is left to the next safe point.
 */
export async function tryModels(
  turn: Turn,
  { choice, quotes, unusable, candidate: chosen }: Asking,
  { idOf, size, ...first }: Tries,
  ask: (candidate: Candidate, asking: RequestPlan) => Promise<Tried>,
): Promise<TriedWith | 'later'> {
  let candidate = chosen
  let paid = first.paid
  if (unusable) await recordSwitch(turn, unusable.model, candidate, unusable.reason)
  await tellClosure(turn, candidate)

  for (let attempt = 1; ; attempt++) {
    turn.waitsFor = closureOf(turn, candidate)?.reason
    const id = idOf(attempt)
    const tried: Tried = await ask(candidate, { id, paid, patienceMs: choice.patienceFor(candidate) })
    const { error } = tried.result
    if (turn.stop.signal.aborted) return { ...tried, candidate }
    turn.waitsFor = undefined
    if (error === undefined) return { ...tried, candidate }
    choice.failed(candidate, error)
    const next = choice.next()
    if (next === undefined) return { ...tried, candidate }
    const again = next === candidate
    const waitMs = again ? waitBefore(turn, choice, candidate, error) : 0
    const nextId = idOf(attempt + 1)
    if (!again) turn.failed.add(candidateName(candidate))
    const goOn = async (tx: Tx, session: SessionRow) => {
      if (tried.used) await settleRequest(tx, session, turn.row, { ...tried.used, outcome: 'failed' })
      const about = aboutSession(session)
      const reason = error.message
      if (again) {
        const said = { attempt: choice.failures(candidate), waitMs, reason }
        tx.record('model.retried', about, { model: candidateName(candidate), ...said })
      } else tx.record('model.switched', about, { from: candidateName(candidate), to: candidateName(next), reason })
      return moneyFor(turn, tx, session, { id: nextId, quote: quotes.get(next), size })
    }
    const reserved = await (again ? asTurn(turn, 'model.retry', goOn) : asTurn(turn, 'model.switch', goOn))
    if (reserved === 'none') return 'later'
    paid = reserved
    if (!again) await tellClosure(turn, next)
    // A busy vendor is waited for in the queue of the account.
    if (again && error.kind !== 'busy') await delay(waitMs, undefined, { signal: turn.stop.signal }).catch(() => {})
    if (turn.stop.signal.aborted) return { ...stopped(turn, candidate, nextId), candidate }
    candidate = next
  }
}

/** The next request was never sent. */
const stopped = ({ purse }: Turn, { model }: Candidate, id: string): Tried => ({
  result: { parts: [], tokens: noTokens, finish: 'aborted' },
  ...(purse && { used: { id, model, outcome: 'aborted', tokens: noTokens, reserved: true, unsent: true } }),
})

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

async function recordSwitch(turn: Turn, from: string, to: Candidate, reason: string): Promise<void> {
  await asTurn(turn, 'model.switch', async (tx, session) => {
    tx.record('model.switched', aboutSession(session), { from, to: candidateName(to), reason })
  })
}
