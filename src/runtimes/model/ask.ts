import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { StepResult } from '../../core/base/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Account } from './accounts.ts'
import type { Destination, ModelStep } from './candidates.ts'
import type { Catalogue } from './catalogue.ts'
import { costOf } from './cost.ts'
import { demoStep } from './demo/demo.ts'
import { allowanceOf } from './limits/allowance.ts'
import { atLeast, estimate } from './limits/estimate.ts'
import type { Limiter, Met } from './limits/limiter.ts'
import { afterStep, notLetIn } from './limits/told.ts'
import { remembered } from './remember.ts'
import { type StreamOptions, streamStep } from './step.ts'
import { vendorOf } from './vendors/facts.ts'
import { type Fetch, languageModel } from './vendors/language.ts'
import { createPromptBuilder, type PromptBuilder } from './wire/prompt.ts'
import { callOptions } from './wire/request.ts'
import { seal } from './wire/seal.ts'
import { createTextCalls } from './wire/text-calls.ts'

export interface AskOptions {
  readonly clock: Clock
  /** A stream silent for longer is cut. */
  readonly idleMs?: number
  /** The pause between two pieces of the demo's text; 0 turns it off. */
  readonly demoDelayMs?: number
  readonly fetch: Fetch
  readonly watch: NonNullable<StreamOptions['watch']>
  readonly catalogue: Catalogue
  limiterOf(account: Account): Limiter
}

const IDLE_MS = 120_000
const DEMO_DELAY_MS = 15

/** One step: asks the candidate's model through its account, when the account's queue lets the request in. */
export function createAsk({ clock, catalogue, limiterOf, ...options }: AskOptions) {
  const models = new Map<string, LanguageModelV4>()
  const builders = new Map<string, PromptBuilder>()

  /** Models are kept by what they are made of: making one costs more than a short request, and settings may change. */
  async function modelOf(destination: Destination): Promise<LanguageModelV4> {
    const key = JSON.stringify([destination.modelId, destination.account.key])
    const made = models.get(key)
    if (made) return made
    const model = await languageModel(destination, destination.account, options.fetch)
    return remembered(models, key, () => model)
  }

  function builderFor(model: string, { provider, modelId, account }: Destination): PromptBuilder {
    const target = {
      type: provider.type,
      vendor: vendorOf(model, provider.type),
      account: account.name,
      textCalls: provider.textCalls(modelId),
    }
    return remembered(builders, JSON.stringify(target), () => createPromptBuilder(target))
  }

  async function inTurn(request: ModelStep): Promise<StepResult> {
    const { provider, account } = request.candidate.destination
    const entry = await limiterOf(account).enter(request.signal)
    if ('refused' in entry) return notLetIn(entry, provider.name)
    let met: Met = { kind: 'other' }
    try {
      const result = await send(request, (headers) => entry.met({ kind: 'ok', ...allowanceOf(headers, clock.now()) }))
      if (result.error) met = afterStep(result.error)
      return result
    } finally {
      entry.met(met)
    }
  }

  async function send(request: ModelStep, onAccepted: NonNullable<StreamOptions['onAccepted']>): Promise<StepResult> {
    const { model, destination } = request.candidate
    const { provider, modelId, account, secrets } = destination
    // Loads while the vendor thinks.
    const cost = costOf(catalogue, destination).catch(() => () => undefined)
    let accepted = false
    const call = callOptions(request, destination, builderFor(model, destination))
    const stream = streamStep(await modelOf(destination), call, request, {
      idleMs: provider.idleMs ?? options.idleMs ?? IDLE_MS,
      context: { provider: provider.name, model: modelId, baseURL: account.baseURL, secrets },
      now: () => clock.now(),
      watch: options.watch,
      onAccepted(headers) {
        accepted = true
        onAccepted(headers)
      },
      saysWhy: provider.type === 'openrouter',
      ...(provider.textCalls(modelId) ? { filter: createTextCalls(request.tools) } : {}),
    })
    const { written, chars, complete, ...result } = await stream
    const tokens = accepted ? atLeast(result.tokens, estimate(request, chars), complete) : result.tokens
    const costUsd = result.costUsd ?? (await cost)({ ...tokens, written }, clock.now())
    const parts = result.parts.map((part) => seal(part, provider.type, account.name))
    return { ...result, tokens, parts, ...(costUsd === undefined ? {} : { costUsd }) }
  }

  return async (request: ModelStep): Promise<StepResult> =>
    request.candidate.destination.provider.type === 'demo'
      ? demoStep(request, options.demoDelayMs ?? DEMO_DELAY_MS)
      : inTurn(request)
}
