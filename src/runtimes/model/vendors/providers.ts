import { type ModelPrice, type ProviderSettings, type ProviderType, providerKeys } from '../../../contract/settings.ts'
import { type Account, accountsOf, type Env } from '../accounts.ts'
import { type VendorFacts, vendors } from './facts.ts'
import { ollamaURL } from './ollama.ts'

/** What the settings of a project say about models. */
export interface ProviderView {
  readonly providers: Readonly<Record<string, ProviderSettings>>
  readonly defaultModel?: string | undefined
  /** The providers that the project's own files give, which others wrote. */
  readonly ofProject?: ReadonlySet<string>
}

/** One place that serves models. */
export interface Provider {
  readonly name: string
  readonly type: ProviderType
  readonly accounts: readonly Account[]
  /** The models it is known to have; the first is the one meant when nobody chose. */
  readonly models: readonly string[]
  /** The settings name its models, so another name is a mistake. */
  readonly closed: boolean
  /** Why none of its accounts can be used. */
  readonly reason: string | undefined
  readonly prices: Readonly<Record<string, ModelPrice>>
  readonly idleMs: number | undefined
  /** How long a turn waits for it while it fails or takes no more requests. */
  readonly patienceMs: number
  /** Whether the model writes its calls into the text, because it knows no other way. */
  textCalls(model: string): boolean
}

export interface Picked {
  readonly provider: Provider
  /** The vendor's own name of the model. */
  readonly modelId: string
}

export const demoModel = 'demo/demo'

/** The providers of the settings in their order, then those of the environment, then Ollama, then the demo. */
export function findProviders(view: ProviderView, env: Env, ollamaModels: readonly string[] = []): Provider[] {
  const providers = Object.entries(view.providers).map(([name, settings]) =>
    fromSettings(name, settings, env, view.ofProject?.has(name)),
  )
  const taken = new Set(Object.keys(view.providers))
  for (const [name, { keyName, urlName, url }] of Object.entries(vendors) as [string, VendorFacts][]) {
    if (!env[keyName] || taken.has(name)) continue
    const baseURL = addressIn((urlName && env[urlName]) || url, url)
    providers.push(fromSettings(name, { apiKey: `$${keyName}`, baseURL }, env))
  }
  if (!taken.has('ollama')) {
    const found = fromSettings('ollama', { type: 'openai-compatible', baseURL: ollamaURL(env) }, env)
    providers.push({ ...found, models: ollamaModels })
  }
  if (!taken.has('demo')) providers.push(fromSettings('demo', {}, env))
  if (!taken.has('replay')) providers.push(fromSettings('replay', {}, env))
  return providers
}

/** People name the server alone, as the vendor's own programs take it, or with the path. */
function addressIn(given: string, usual: string): string {
  const address = URL.parse(given)
  return address?.pathname === '/' ? address.origin + new URL(usual).pathname : given
}

/** The configured one, else the first model of the first usable provider; the demo is last in that order. */
export function defaultModelName(view: ProviderView, env: Env, ollamaModels: readonly string[] = []): string {
  if (view.defaultModel) return view.defaultModel
  const usable = findProviders(view, env, ollamaModels).find(({ reason, models }) => !reason && models.length > 0)
  return usable ? `${usable.name}/${usable.models[0]}` : demoModel
}

/** What `provider/model` means here, or why it cannot be had. */
export function pickModel(providers: readonly Provider[], name: string): Picked | { readonly problem: string } {
  const slash = name.indexOf('/')
  const modelId = name.slice(slash + 1)
  const refuse = (why: string) => ({ problem: `${why} Usable: ${usableNames(providers)}.` })
  if (slash < 1 || modelId === '') return refuse(`"${name}" is not a model name; it must be "provider/model".`)
  const called = name.slice(0, slash)
  const provider = providers.find((candidate) => candidate.name === called)
  const keyName = Object.hasOwn(providerKeys, called) ? providerKeys[called] : undefined
  if (!provider && keyName)
    return refuse(`There is no key of ${called} for the model "${name}": set ${keyName}, then "troupe down".`)
  if (!provider) return refuse(`There is no provider "${called}" for the model "${name}".`)
  if (provider.reason) return refuse(provider.reason)
  if (provider.closed && !provider.models.includes(modelId)) {
    return refuse(`The settings of the provider "${provider.name}" list no model "${modelId}".`)
  }
  return { provider, modelId }
}

/** The first account that can be used. */
export const accountOf = ({ accounts }: Provider): Account | undefined => accounts.find(({ reason }) => !reason)

/** Longer than most outages, and shorter than the time of a turn. */
const OUTAGE_SECONDS = 1200
const NAMES_SHOWN = 12

function usableNames(providers: readonly Provider[]): string {
  const names = providers
    .filter(
      ({ reason, name, type, models }) => !reason && type !== 'replay' && !(name === 'ollama' && models.length === 0),
    )
    .flatMap(({ name, models }) => (models.length > 0 ? models.map((model) => `${name}/${model}`) : [`${name}/…`]))
  const more = names.length - NAMES_SHOWN
  return names.slice(0, NAMES_SHOWN).join(', ') + (more > 0 ? ` and ${more} more in the list of models` : '')
}

function fromSettings(name: string, settings: ProviderSettings, env: Env, ofProject = false): Provider {
  const type = settings.type ?? typeOf(name, settings)
  const accounts = accountsOf(name, type, settings, env, ofProject)
  const { toolCalling } = settings
  return {
    name,
    type: type ?? 'openai-compatible',
    accounts,
    models: settings.models ?? (type === 'demo' ? ['demo'] : ((type && vendors[type]?.models) ?? [])),
    closed: settings.models !== undefined,
    reason: accounts.some(({ reason }) => !reason) ? undefined : accounts[0]?.reason,
    prices: settings.prices ?? {},
    idleMs: settings.idleSeconds === undefined ? undefined : settings.idleSeconds * 1000,
    patienceMs: (settings.outageSeconds ?? OUTAGE_SECONDS) * 1000,
    textCalls: (model) => (typeof toolCalling === 'object' ? toolCalling[model] : toolCalling) === 'text',
  }
}

function typeOf(name: string, settings: ProviderSettings): ProviderType | undefined {
  if (name === 'demo' || name === 'replay') return name
  if (Object.hasOwn(vendors, name)) return name as ProviderType
  return settings.baseURL || settings.accounts?.some(({ baseURL }) => baseURL) ? 'openai-compatible' : undefined
}
