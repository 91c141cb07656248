import { callsOf } from '../../contract/messages.ts'
import { crashPoint } from '../../lib/crash.ts'
import type { Candidate, StepResult } from '../core.ts'
import { judge } from '../tools.ts'
import type { Made } from './advance.ts'
import { walkChain } from './chain.ts'
import type { Ready, Turn } from './turn.ts'

/** One answer of the model, or of the next in the chain, with what may happen to each call it asks for. */
export async function callModel(turn: Turn, step: { turnId: string; iteration: number }): Promise<Made> {
  const { setup } = turn
  if ('problem' in setup) return { failure: { reason: setup.problem } }
  const started = performance.now()
  const chain = [setup.model, ...(setup.definition.fallbackModels ?? [])]
  const walked = await walkChain(turn, chain, (candidate, attempt) =>
    request(turn, setup, candidate, { turnId: step.turnId, attempt: `${step.turnId}:${step.iteration}.${attempt}` }),
  )
  crashPoint('model.answered')
  if ('problem' in walked) return { failure: { reason: walked.problem } }
  const { result, candidate } = walked
  if (result.error !== undefined) return { failure: { reason: result.error.message } }
  if (turn.lease.signal.aborted) return {}
  turn.window = await turn.core.runtimes.model!.contextWindow(turn.project, candidate.model)
  const aborted = result.finish === 'aborted'
  const parts = aborted ? result.parts.filter((part) => part.type === 'text') : result.parts
  if (parts.length === 0) return {}
  return {
    answer: {
      role: 'assistant',
      parts: [...parts],
      turnId: step.turnId,
      model: candidate.model,
      tokens: result.tokens,
      durationMs: Math.round(performance.now() - started),
      ...(result.costUsd === undefined ? {} : { costUsd: result.costUsd }),
      ...(aborted ? { interrupted: true } : {}),
    },
    verdicts: await Promise.all(callsOf(parts).map((call) => judge(setup.judge, call))),
  }
}

async function request(
  turn: Turn,
  setup: Ready,
  { model, account }: Candidate,
  { turnId, attempt }: { turnId: string; attempt: string },
): Promise<StepResult> {
  const { core, lease, history, project } = turn
  const { maxOutputTokens, temperature, reasoning } = setup.definition
  const offsets = { text: 0, reasoning: 0, output: 0 }
  return core.runtimes.model!.step({
    sessionId: lease.sessionId,
    project,
    model,
    account,
    system: setup.prompt,
    history: history.messages,
    tools: setup.schemas,
    signal: turn.stop.signal,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoning === undefined ? {} : { reasoning }),
    onDelta(kind, text) {
      if (core.bus.quiet) return
      core.bus.delta({ ...turn.about, turnId, attempt, kind, offset: offsets[kind], text })
      offsets[kind] += text.length
    },
  })
}
