import { callsOf } from '../../contract/messages.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import type { Candidate, ModelError, StepResult } from '../base/index.ts'
import { judge } from '../permissions/index.ts'
import { cutIn, refuseHalf } from './cut.ts'
import { tryModels } from './fallbacks.ts'
import { liveText } from './live.ts'
import { type ModelCall, requestId } from './money.ts'
import { planStep } from './plan.ts'
import { verdictIn } from './replay.ts'
import type { Made } from './safe-point.ts'
import { judgeIn, notYet, type Turn } from './turn.ts'
import { unshutBy } from './unshut.ts'

/** One answer of the model, or of a fallback model, with the verdict on each call it asks for. */
export async function callModel(turn: Turn, step: ModelCall): Promise<Made> {
  const { setup } = turn
  const started = performance.now()
  const plan = turn.plan ?? (await planStep(turn))
  turn.plan = undefined
  if ('problem' in plan) return { failure: { ...plan, reason: plan.problem } }
  const tried = await tryModels(turn, plan, triesOf(step), async (candidate, { id, paid, patienceMs }) => {
    const result = await request(turn, candidate, { turnId: step.turnId, attempt: id, patienceMs, paid })
    const { tokens, costUsd, unsent = false, finish } = result
    const money = { reserved: turn.purse !== undefined, unsent, stopped: finish === 'aborted' }
    return { result, used: { id, model: candidate.model, outcome: 'answered', tokens, costUsd, ...money } }
  })
  crashPoint('model.answered')
  if (tried === 'later') return {}
  const { result, candidate } = tried
  const used = tried.used && { used: tried.used }
  if (result.error !== undefined) return { failure: failureOf(result.error), ...used }
  if (turn.lease.signal.aborted) return { ...used }
  turn.window = await setup.runtime.models?.contextWindow(candidate)
  turn.shrinking = notYet
  const aborted = result.finish === 'aborted'
  const parts = aborted ? result.parts.filter((part) => part.type === 'text') : result.parts
  if (parts.length === 0) return { ...used }
  const by = judgeIn(turn)
  const cut = cutIn(turn, result)
  const calls = callsOf(parts)
  const verdicts = await Promise.all(
    calls.map(async (call) => refuseHalf(result, call.input) ?? verdictIn(turn, call.name, await judge(by, call))),
  )
  const unshut = unshutBy(
    turn,
    calls.map(({ name }) => name),
    verdicts,
  )
  return {
    ...used,
    ...(cut && { cut }),
    answer: {
      role: 'assistant',
      parts: [...parts],
      turnId: step.turnId,
      model: candidate.model,
      tokens: result.tokens,
      durationMs: Math.round(performance.now() - started),
      ...(result.costUsd === undefined ? {} : { costUsd: result.costUsd }),
      ...(aborted ? { interrupted: true } : {}),
      ...(result.finish === 'length' ? { cut: true } : {}),
    },
    verdicts,
    ...(unshut === undefined ? {} : { unshut }),
  }
}

const triesOf = (step: ModelCall) => ({ paid: step.paid, idOf: (attempt: number) => requestId(step, attempt) })

const failureOf = (error: ModelError) => ({
  reason: givenUp(error),
  ...(error.kind === 'context' && { tooLong: true as const }),
})

/** What may pass by itself is told to nobody as a fault to repair, so the way on is said where it is given up on. */
const givenUp = ({ kind, message }: ModelError): string =>
  kind === 'busy' || kind === 'retry'
    ? `${message} Send a message to try again, or choose another model with "troupe sessions model".`
    : message

async function request(
  turn: Turn,
  candidate: Candidate,
  {
    turnId,
    attempt,
    patienceMs,
    paid,
  }: { turnId: string; attempt: string; patienceMs: number; paid?: number | undefined },
): Promise<StepResult> {
  const { core, lease, history, setup } = turn
  const { maxOutputTokens, temperature, reasoning } = setup.definition
  // A request that is made again after a crash has the same id, and may say something else.
  const about = { ...turn.about, turnId, attempt: `${attempt}@${lease.fence}` }
  const live = liveText(core, { ...about, seq: history.nextSeq })
  return setup.runtime
    .step({
      sessionId: lease.sessionId,
      ...(setup.runtime.models && { candidate }),
      system: setup.prompt,
      history: history.messages,
      tools: turn.schemas,
      signal: turn.stop.signal,
      patienceMs,
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(paid === undefined ? {} : { paidOutputTokens: paid }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(reasoning === undefined ? {} : { reasoning }),
      onDelta: live.write,
    })
    .finally(live.end)
}
