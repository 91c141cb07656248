import type { LanguageModelV4 } from '@ai-sdk/provider'
import { AppError } from '../../contract/errors.ts'
import type { ModelError, Project, Runtime, StepRequest, StepResult } from '../../core/base/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { createFastFetch } from '../../lib/net/fast-fetch.ts'
import type { Account, Env } from './accounts.ts'
import { accountInfos, candidatesFor } from './candidates.ts'
import { createCatalogue } from './catalogue.ts'
import { costOf, isPriced, saysPrice, windowOf } from './cost.ts'
import { demoStep } from './demo/demo.ts'
import { allowanceOf } from './limits/allowance.ts'
import { estimate } from './limits/estimate.ts'
import { createLimiter, type Limiter, type Met } from './limits/limiter.ts'
import { afterStep, notLetIn } from './limits/met.ts'
import { listModels } from './models.ts'
import { type StreamOptions, streamStep } from './step.ts'
import { vendorOf } from './vendors/facts.ts'
import { type Fetch, languageModel } from './vendors/language.ts'
import { createOllamaProbe } from './vendors/ollama.ts'
import {
  accountOf,
  defaultModelName,
  demoModel,
  findProviders,
  type Picked,
  type Provider,
  type ProviderView,
  pickModel,
} from './vendors/providers.ts'
import { createPromptBuilder, type PromptBuilder } from './wire/prompt.ts'
import { callOptions } from './wire/request.ts'
import { seal } from './wire/seal.ts'
import { createTextCalls } from './wire/text-calls.ts'

export { defaultModelName, type ProviderView } from './vendors/providers.ts'

export interface ModelRuntimeOptions {
  readonly env: Env
  settings(project: Project): Promise<ProviderView> | ProviderView
  readonly clock: Clock
  /** The data folder, where a fetched catalogue is kept. */
  readonly home?: string
  readonly fetch?: Fetch
  /** A stream silent for longer is cut. */
  readonly idleMs?: number
  /** The pause between two pieces of the demo's text; 0 turns it off. */
  readonly demoDelayMs?: number
}

const IDLE_MS = 120_000
const DEMO_DELAY_MS = 15
const KEPT = 100

/** Answers a step with whichever provider the model's name points at. */
export function createModelRuntime(options: ModelRuntimeOptions): Runtime {
  const { env, clock } = options
  const line = createFastFetch({ env })
  const fetch = options.fetch ?? line.fetch
  const models = new Map<string, LanguageModelV4>()
  const builders = new Map<string, PromptBuilder>()
  const limiters = new Map<string, Limiter>()
  const catalogue = createCatalogue(options.home)
  const ollama = createOllamaProbe(env, fetch, clock)

  const known = new WeakMap<ProviderView, readonly Provider[]>()
  /** What the chain of a model call was made of holds for its steps: settings are looked at once for all of them. */
  const chosen = new WeakMap<Project, readonly Provider[]>()
  const readProviders = async (project: Project): Promise<readonly Provider[]> => {
    const view = await options.settings(project)
    const providers = known.get(view) ?? findProviders(view, env)
    known.set(view, providers)
    return providers
  }
  const providersFor = async (project: Project): Promise<readonly Provider[]> =>
    chosen.get(project) ?? readProviders(project)
  const limiterOf = (account: Account): Limiter => kept(limiters, account.key, () => createLimiter(clock))

  /** Kept by what it is made of: making one costs more than a short request, and settings may change at any time. */
  async function modelOf(picked: Picked, account: Account): Promise<LanguageModelV4> {
    const key = JSON.stringify([picked.modelId, account.key])
    const made = models.get(key)
    if (made) return made
    const model = await languageModel(picked, account, fetch)
    return kept(models, key, () => model)
  }

  function builderFor({ provider, modelId }: Picked, model: string, account: Account): PromptBuilder {
    const target = {
      type: provider.type,
      vendor: vendorOf(model, provider.type),
      account: account.name,
      textCalls: provider.textCalls(modelId),
    }
    return kept(builders, JSON.stringify(target), () => createPromptBuilder(target))
  }

  async function ask(request: StepRequest, picked: Picked, account: Account): Promise<StepResult> {
    const entry = await limiterOf(account).enter(request.signal)
    if ('refused' in entry) return notLetIn(entry, picked.provider.name)
    let met: Met = { kind: 'other' }
    try {
      const result = await send(request, picked, account, (headers) =>
        entry.met({ kind: 'ok', ...allowanceOf(headers, clock.now()) }),
      )
      if (result.error) met = afterStep(result.error)
      return result
    } finally {
      entry.met(met)
    }
  }

  async function send(
    request: StepRequest,
    picked: Picked,
    account: Account,
    onAccepted: NonNullable<StreamOptions['onAccepted']>,
  ): Promise<StepResult> {
    const { provider, modelId } = picked
    // Loads while the vendor thinks.
    const cost = costOf(catalogue, picked, account).catch(() => () => undefined)
    const secrets = secretsIn(await providersFor(request.project))
    let accepted = false
    const call = callOptions(request, picked, builderFor(picked, request.model, account))
    const stream = streamStep(await modelOf(picked, account), call, request, {
      idleMs: provider.idleMs ?? options.idleMs ?? IDLE_MS,
      context: { provider: provider.name, model: modelId, baseURL: account.baseURL, secrets },
      now: () => clock.now(),
      watch: line.watch,
      onAccepted(headers) {
        accepted = true
        onAccepted(headers)
      },
      saysWhy: provider.type === 'openrouter',
      ...(provider.textCalls(modelId) ? { filter: createTextCalls() } : {}),
    })
    const { written, ...result } = await stream
    const said = result.tokens.input + result.tokens.output > 0
    const tokens = accepted && !said ? estimate(request, result.parts) : result.tokens
    const costUsd = result.costUsd ?? (await cost)({ ...tokens, written }, clock.now())
    const parts = result.parts.map((part) => seal(part, provider.type, account.name))
    return { ...result, tokens, parts, ...(costUsd === undefined ? {} : { costUsd }) }
  }

  return {
    async step(request) {
      try {
        const picked = pickModel(await providersFor(request.project), request.model)
        if ('kind' in picked) return refused(picked)
        if (picked.provider.type === 'demo') return await demoStep(request, options.demoDelayMs ?? DEMO_DELAY_MS)
        const account = accountOf(picked.provider, request.account)
        if (account === undefined) return refused(noAccount(picked.provider.name, request.account))
        return await ask(request, picked, account)
      } catch (error) {
        if (error instanceof AppError) return refused({ kind: 'bad-request', message: error.message })
        throw error
      }
    },
    async models(project) {
      const view = await options.settings(project)
      const found = await ollama()
      return listModels(findProviders(view, env, found), defaultModelName(view, env, found), catalogue, fetch)
    },
    async defaultModel(project) {
      const view = await options.settings(project)
      const chosen = defaultModelName(view, env)
      return chosen === demoModel ? defaultModelName(view, env, await ollama()) : chosen
    },
    async candidates(project, chain) {
      const providers = await readProviders(project)
      chosen.set(project, providers)
      return candidatesFor(providers, chain, limiterOf)
    },
    accounts: async (project) =>
      accountInfos(findProviders(await options.settings(project), env, await ollama()), limiterOf),
    contextWindow: async (project, model) => windowOf(catalogue, pickModel(await providersFor(project), model)),
    async hasPrice(project, candidate) {
      const picked = pickModel(await providersFor(project), candidate.model)
      if ('kind' in picked) return false
      const account = accountOf(picked.provider, candidate.account)
      return (
        saysPrice(picked.provider.type) || (account !== undefined && isPriced(catalogue, picked, account, clock.now()))
      )
    },
    updateCatalogue: () => catalogue.update(fetch, env.TROUPE_PRICES_URL),
  }
}

const secretLists = new WeakMap<readonly Provider[], readonly string[]>()

/** No sentence repeats any of them, whichever account they belong to. */
function secretsIn(providers: readonly Provider[]): readonly string[] {
  const secrets = secretLists.get(providers) ?? providers.flatMap(({ accounts }) => accounts.flatMap((a) => a.secrets))
  secretLists.set(providers, secrets)
  return secrets
}

function kept<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  if (map.size >= KEPT) map.delete(map.keys().next().value ?? key)
  map.set(key, made)
  return made
}

const noAccount = (provider: string, account: string | undefined): ModelError => ({
  kind: 'switch',
  message: `The provider "${provider}" has no usable account "${account}".`,
})

const refused = (error: ModelError): StepResult => ({
  parts: [],
  tokens: { input: 0, output: 0, cached: 0, reasoning: 0 },
  finish: 'error',
  error,
})
