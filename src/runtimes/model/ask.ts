import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { StepResult } from '../../core/base/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Account } from './accounts.ts'
import type { Destination, ModelStep } from './candidates.ts'
import type { Catalogue } from './catalogue.ts'
import { costOf, knownWindow } from './cost.ts'
import { demoStep } from './demo/demo.ts'
import { atLeast } from './limits/estimate.ts'
import type { Limiter, Met } from './limits/limiter.ts'
import { afterStep, notLetIn } from './limits/told.ts'
import { remembered } from './remember.ts'
import type { Player } from './replay/player.ts'
import { type Streamed, type StreamOptions, streamStep } from './step.ts'
import { vendorOf } from './vendors/facts.ts'
import { type Fetch, languageModel } from './vendors/language.ts'
import { outputLimit } from './vendors/output.ts'
import { resetIn } from './vendors/reset.ts'
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
  fetchOf(account: Account): Fetch
  readonly watch: NonNullable<StreamOptions['watch']>
  readonly catalogue: Catalogue
  readonly player: Player
  limiterOf(account: Account): Limiter
}

/** An answer, with what its failure means for the account and for the request. */
type Answered = Omit<Streamed, 'written' | 'chars' | 'complete'>

/** How often a request is made with another limit on its output. */
const TRIES = 3
const IDLE_MS = 120_000
const DEMO_DELAY_MS = 15

/** One step: asks the candidate's model through its account, when the account's queue lets the request in. */
export function createAsk({ clock, catalogue, limiterOf, ...options }: AskOptions) {
  const models = new Map<string, LanguageModelV4>()
  const builders = new Map<string, PromptBuilder>()
  /** The limits that vendors asked for when they refused ours. */
  const fitting = new Map<string, number>()

  /** Models are kept by what they are made of: making one costs more than a short request, and settings may change. */
  async function modelOf(destination: Destination): Promise<LanguageModelV4> {
    const key = JSON.stringify([destination.modelId, destination.account.key])
    const made = models.get(key)
    if (made) return made
    const model = await languageModel(destination, destination.account, options.fetchOf(destination.account))
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
    const limiter = limiterOf(account)
    const entry = await limiter.enter(request.signal, request.patienceMs)
    if ('refused' in entry) return notLetIn(entry, provider.name, clock.now())
    let met: Met = { kind: 'other' }
    let result: Answered
    try {
      result = await send(request, (headers) => entry.met({ kind: 'ok', resetMs: resetIn(headers, clock.now()) }))
      if (result.error) met = afterStep(result.error)
    } finally {
      entry.met(met)
    }
    // The queue stays open, because others are answered: it is this request that failed.
    const { error } = result
    if (error?.kind !== 'busy' || limiter.closure) return result
    return { ...result, error: { ...error, kind: 'retry' } }
  }

  const usualLimit = (destination: Destination): number =>
    outputLimit(destination.provider.type, destination.modelId, knownWindow(catalogue, destination))

  /** A limit that the vendor refuses is lowered to what it takes, unless the agent chose it. */
  async function send(request: ModelStep, onAccepted: NonNullable<StreamOptions['onAccepted']>): Promise<Answered> {
    const { destination } = request.candidate
    const key = JSON.stringify([destination.modelId, destination.account.key])
    let limit = fitting.get(key) ?? usualLimit(destination)
    for (let tries = 1; ; tries++) {
      const answered = await sendOnce(request, limit, onAccepted)
      const fits = answered.error?.fits
      if (fits === undefined || request.maxOutputTokens !== undefined || tries === TRIES) return answered
      limit = fits.tokens
      fitting.delete(key)
      if (fits.lasting) remembered(fitting, key, () => fits.tokens)
    }
  }

  async function sendOnce(
    request: ModelStep,
    limit: number,
    onAccepted: NonNullable<StreamOptions['onAccepted']>,
  ): Promise<Answered> {
    const { model, destination } = request.candidate
    const { provider, modelId, account, secrets } = destination
    // Loads while the vendor thinks.
    const cost = costOf(catalogue, destination).catch(() => () => undefined)
    let accepted = false
    const call = callOptions(request, destination, builderFor(model, destination), limit)
    const stream = streamStep(await modelOf(destination), call, request, {
      idleMs: provider.idleMs ?? options.idleMs ?? IDLE_MS,
      context: {
        provider: provider.name,
        model: modelId,
        account: account.name,
        baseURL: account.baseURL,
        secrets,
        maxOutputTokens: call.maxOutputTokens,
      },
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
    const tokens = accepted ? atLeast(result.tokens, request, chars, complete) : result.tokens
    const costUsd = result.costUsd ?? (await cost)({ ...tokens, written }, clock.now())
    const parts = result.parts.map((part) => seal(part, provider.type, account.name))
    return { ...result, tokens, parts, ...(costUsd === undefined ? {} : { costUsd }) }
  }

  return async (request: ModelStep): Promise<StepResult> => {
    const { type } = request.candidate.destination.provider
    if (type === 'demo') return demoStep(request, options.demoDelayMs ?? DEMO_DELAY_MS)
    return type === 'replay' ? options.player.step(request) : inTurn(request)
  }
}
