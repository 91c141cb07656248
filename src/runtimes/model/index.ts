import type { Models, Project, Runtime } from '../../core/base/index.ts'
import { createFastFetch } from '../../lib/net/fast-fetch.ts'
import type { Account, Env } from './accounts.ts'
import { type AskOptions, createAsk } from './ask.ts'
import { accountStates, candidatesFor, type ModelCandidate } from './candidates.ts'
import { createCatalogue } from './catalogue.ts'
import { knownWindow, quoteOf, windowOf } from './cost.ts'
import { createEmbed } from './embed.ts'
import { createLimiter, type Limiter } from './limits/limiter.ts'
import { listModels } from './models.ts'
import { remembered } from './remember.ts'
import { createPlayer } from './replay/player.ts'
import type { Fetch } from './vendors/language.ts'
import { createOllamaProbe } from './vendors/ollama.ts'
import { outputLimit } from './vendors/output.ts'
import { defaultModelName, demoModel, findProviders, type Provider, type ProviderView } from './vendors/providers.ts'

export { defaultModelName, type ProviderView } from './vendors/providers.ts'

const NOWHERE = 'http://localhost:0'

export interface ModelRuntimeOptions extends Pick<AskOptions, 'clock' | 'idleMs' | 'demoDelayMs'> {
  readonly env: Env
  settings(project: Project): Promise<ProviderView> | ProviderView
  /** The data folder, where a fetched catalogue is kept. */
  readonly home?: string
  readonly fetch?: Fetch
  /** The address of this server, which no provider of a project may be. */
  own?(): string
}

/** What models there are, and the step that one of them takes. */
export interface ModelRuntime extends Runtime {
  readonly models: Models
}

export function createModelRuntime(options: ModelRuntimeOptions): ModelRuntime {
  const { env, clock } = options
  const line = createFastFetch({ env })
  const fetch = options.fetch ?? line.fetch
  const guarded = line.guarded(() => ({ own: options.own?.() ?? NOWHERE }))
  const fetchOf = (account: Account): Fetch => (account.guarded ? guarded : fetch)
  const limiters = new Map<string, Limiter>()
  const catalogue = createCatalogue(options.home)
  const ollama = createOllamaProbe(env, fetch, clock)

  /** Settings that have not changed are the same object, and are read once. */
  const known = new WeakMap<ProviderView, readonly Provider[]>()
  const providersFor = async (project: Project): Promise<readonly Provider[]> => {
    const view = await options.settings(project)
    const providers = known.get(view) ?? findProviders(view, env)
    known.set(view, providers)
    return providers
  }
  const limiterOf = (account: Account): Limiter => remembered(limiters, account.key, () => createLimiter(clock))

  const embed = createEmbed(fetchOf)

  const models = {
    async list(project: Project) {
      const view = await options.settings(project)
      const found = await ollama()
      const providers = findProviders(view, env, found)
      return listModels(providers, defaultModelName(view, env, found), catalogue, fetchOf, clock.now())
    },
    async defaultModel(project: Project) {
      const view = await options.settings(project)
      const chosen = defaultModelName(view, env)
      return chosen === demoModel ? defaultModelName(view, env, await ollama()) : chosen
    },
    async candidates(project: Project, chain: readonly string[]) {
      return candidatesFor(await providersFor(project), chain, limiterOf, project)
    },
    contextWindow({ destination }: ModelCandidate) {
      return windowOf(catalogue, destination)
    },
    quote({ destination }: ModelCandidate) {
      const { provider, modelId } = destination
      const outputTokens = outputLimit(provider.type, modelId, knownWindow(catalogue, destination))
      return quoteOf(catalogue, destination, { now: () => clock.now(), outputTokens })
    },
    closure({ destination }: ModelCandidate) {
      return limiterOf(destination.account).closure
    },
    async accounts(project: Project) {
      return accountStates(findProviders(await options.settings(project), env, await ollama()), limiterOf)
    },
    async embed(project: Project, model: string, texts: readonly string[], signal: AbortSignal) {
      return embed(await providersFor(project), model, texts, signal)
    },
    updateCatalogue() {
      return catalogue.update(fetch, env.TROUPE_PRICES_URL)
    },
  }
  const player = createPlayer(options.home)
  return {
    models,
    step: createAsk({ ...options, fetchOf, watch: line.watch, catalogue, limiterOf, player }),
    replayed: player.result,
  }
}
