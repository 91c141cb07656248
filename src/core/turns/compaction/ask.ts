import type { Message, Part } from '../../../contract/messages.ts'
import { crashPoint } from '../../../lib/process/crash.ts'
import { updateCompaction } from '../../../store/compactions.ts'
import type { CompactionRow } from '../../../store/tables.ts'
import type { Candidate, ModelError, ToolSchema } from '../../base/index.ts'
import { tokensIn, weightOf } from '../../sessions/index.ts'
import type { Used } from '../../spending/index.ts'
import { tryModels } from '../fallbacks.ts'
import { moneyFor } from '../money.ts'
import { planStep } from '../plan.ts'
import { asTurn, type Turn } from '../turn.ts'
import { payInVain } from './steps.ts'

/** A request of a compaction. */
interface CompactionRequest {
  /** The session's own unless they are named. */
  readonly models?: readonly string[]
  readonly system: string
  readonly history: readonly Message[]
  readonly tools: readonly ToolSchema[]
  readonly maxOutputTokens: number
}

/** What came of it. What it used is to be written down together with what follows from it. */
type RequestAnswer =
  | { readonly parts: readonly Part[]; readonly used: Used | undefined }
  | { readonly problem: string; readonly kind?: ModelError['kind']; readonly used?: Used | undefined }
  | 'stopped'

const NO_MONEY = 'there is no money for the request in the budgets of this session.'

/** Asks as every request is asked: through the account's queue, with the money put aside before, and with the fallbacks. */
export async function askFor(turn: Turn, row: CompactionRow, question: CompactionRequest): Promise<RequestAnswer> {
  const plan = await planStep(turn, question.models)
  if ('problem' in plan) return { problem: plan.problem }
  const size = { input: inputOf(question), output: question.maxOutputTokens }
  const number = row.requests + 1
  const idOf = (attempt: number): string => `${row.turn_id}:c${row.number}.${number}.${attempt}`
  const paid = await asTurn(turn, 'compaction.ask', async (tx, session) => {
    await updateCompaction(tx.db, row, { requests: number })
    return moneyFor(turn, tx, session, { id: idOf(1), quote: plan.quotes.get(plan.candidate), size })
  })
  row.requests = number
  if (paid === 'none') return { problem: NO_MONEY }

  const tried = await tryModels(turn, plan, { paid, size, idOf }, async (candidate, asking) => {
    const result = await send(turn, candidate, question, asking)
    const { tokens, costUsd, unsent = false, finish } = result
    const money = { reserved: turn.purse !== undefined, unsent, stopped: finish === 'aborted' }
    return { result, used: { id: asking.id, model: candidate.model, outcome: 'answered', tokens, costUsd, ...money } }
  })
  crashPoint('compaction.answered')
  if (tried === 'later') return { problem: NO_MONEY }
  const { result, used } = tried
  if (turn.stop.signal.aborted) {
    if (used) await payInVain(turn, { ...used, outcome: 'aborted' })
    return 'stopped'
  }
  const failed = used && { ...used, outcome: 'failed' as const }
  if (result.error) return { problem: result.error.message, kind: result.error.kind, used: failed }
  return { parts: result.parts, used }
}

async function send(
  { lease, setup, stop }: Turn,
  candidate: Candidate,
  { system, history, tools, maxOutputTokens }: CompactionRequest,
  { patienceMs, paid }: { patienceMs: number; paid: number | undefined },
) {
  return setup.runtime.step({
    sessionId: lease.sessionId,
    candidate,
    system,
    history,
    tools,
    signal: stop.signal,
    patienceMs,
    paidOutputTokens: Math.min(paid ?? maxOutputTokens, maxOutputTokens),
    onDelta: () => {},
  })
}

const inputOf = ({ system, history, tools }: CompactionRequest): number =>
  tokensIn(
    Buffer.byteLength(system + JSON.stringify(tools)) + history.reduce((sum, message) => sum + weightOf(message), 0),
  )
