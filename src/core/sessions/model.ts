import { setTimeout as delay } from 'node:timers/promises'
import { callsOf } from '../../contract/messages.ts'
import { crashPoint } from '../../lib/crash.ts'
import type { ModelError, StepResult } from '../core.ts'
import { judge } from '../tools.ts'
import { aboutSession, asRunner } from '../transaction.ts'
import type { Made } from './advance.ts'
import type { Turn } from './turn.ts'

const RETRIES = 4
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000

/** One answer of the model, with what may happen to each call it asks for. A failed request is made again, bounded. */
export async function callModel(turn: Turn, step: { turnId: string; iteration: number }): Promise<Made> {
  const { setup } = turn
  if ('problem' in setup) return { failure: { reason: setup.problem } }
  const started = performance.now()
  const result = await withRetries(turn, setup.model, (attempt) =>
    request(turn, step, `${step.turnId}:${step.iteration}.${attempt}`),
  )
  crashPoint('model.answered')
  if (result.error !== undefined) return { failure: { reason: result.error.message } }
  if (turn.lease.signal.aborted) return {}
  const aborted = result.finish === 'aborted'
  const parts = aborted ? result.parts.filter((part) => part.type === 'text') : result.parts
  if (parts.length === 0) return {}
  return {
    answer: {
      role: 'assistant',
      parts: [...parts],
      turnId: step.turnId,
      model: setup.model,
      tokens: result.tokens,
      durationMs: Math.round(performance.now() - started),
      ...(result.costUsd === undefined ? {} : { costUsd: result.costUsd }),
      ...(aborted ? { interrupted: true } : {}),
    },
    verdicts: await Promise.all(callsOf(parts).map((call) => judge(setup.judge, call))),
  }
}

async function request(turn: Turn, step: { turnId: string }, attempt: string): Promise<StepResult> {
  const { core, lease, setup, history, project } = turn
  if ('problem' in setup) throw new Error('unreachable')
  const offsets = { text: 0, reasoning: 0, output: 0 }
  return core.runtimes.model!.step({
    sessionId: lease.sessionId,
    project,
    model: setup.model,
    system: setup.prompt,
    history: history.messages,
    tools: setup.schemas,
    signal: turn.stop.signal,
    ...(setup.definition.maxOutputTokens === undefined ? {} : { maxOutputTokens: setup.definition.maxOutputTokens }),
    ...(setup.definition.temperature === undefined ? {} : { temperature: setup.definition.temperature }),
    ...(setup.definition.reasoning === undefined ? {} : { reasoning: setup.definition.reasoning }),
    onDelta(kind, text) {
      if (core.bus.quiet) return
      core.bus.delta({ sessionId: lease.sessionId, turnId: step.turnId, attempt, kind, offset: offsets[kind], text })
      offsets[kind] += text.length
    },
  })
}

async function withRetries(
  turn: Turn,
  model: string,
  run: (attempt: number) => Promise<StepResult>,
): Promise<StepResult> {
  for (let attempt = 1; ; attempt++) {
    const result = await run(attempt)
    if (result.error?.kind !== 'retry' || attempt > RETRIES || turn.stop.signal.aborted) return result
    const waitMs = waitBefore(attempt, result.error)
    if (waitMs > LONGEST_WAIT_MS) return result
    await asRunner(turn.core, turn.lease, 'model.retry', async (tx, session) => {
      tx.record('model.retried', aboutSession(session), { model, attempt, waitMs, reason: result.error!.message })
    })
    await delay(waitMs, undefined, { signal: turn.stop.signal }).catch(() => {})
    if (turn.stop.signal.aborted) return { parts: [], tokens: result.tokens, finish: 'aborted' }
  }
}

/** Doubling with jitter, unless the vendor said how long. */
function waitBefore(attempt: number, error: ModelError): number {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs
  return Math.round(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
}
