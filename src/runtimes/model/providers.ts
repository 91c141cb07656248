import type { ProviderSettings, ProviderType } from '../../contract/settings.ts'
import type { ModelError } from '../../core/core.ts'

/** What the settings of a project say about models. */
export interface ProviderView {
  readonly providers: Readonly<Record<string, ProviderSettings>>
  readonly defaultModel?: string | undefined
}

export type Env = Readonly<Record<string, string | undefined>>

/** One place that serves models, with its secrets read in. */
export interface Provider {
  readonly name: string
  readonly type: ProviderType
  readonly baseURL: string | undefined
  readonly apiKey: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The models it is known to have; the first is the one meant when nobody chose. */
  readonly models: readonly string[]
  /** The settings name its models, so another name is a mistake. */
  readonly closed: boolean
  /** Why it cannot be used, and what to do about it. */
  readonly reason: string | undefined
  /** Values that must never be repeated in a message. */
  readonly secrets: readonly string[]
}

export interface Picked {
  readonly provider: Provider
  /** The vendor's own name of the model. */
  readonly modelId: string
}

export const demoModel = 'demo/demo'
const anthropicURL = 'https://api.anthropic.com/v1'
const anthropicModels = ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5']
const built: readonly ProviderType[] = ['anthropic', 'openai-compatible', 'demo']

/** Those of the settings in their order, then what the environment offers, then the demo. */
export function findProviders(view: ProviderView, env: Env): Provider[] {
  const providers = Object.entries(view.providers).map(([name, settings]) => fromSettings(name, settings, env))
  const taken = new Set(Object.keys(view.providers))
  if (env.ANTHROPIC_API_KEY && !taken.has('anthropic')) {
    const settings = { apiKey: '$ANTHROPIC_API_KEY', baseURL: env.ANTHROPIC_BASE_URL || anthropicURL }
    providers.push(fromSettings('anthropic', settings, env))
  }
  if (!taken.has('demo')) providers.push(fromSettings('demo', {}, env))
  return providers
}

/** The configured one, else the first model of the first usable provider; the demo is last in that order. */
export function defaultModelName(view: ProviderView, env: Env): string {
  if (view.defaultModel) return view.defaultModel
  const usable = findProviders(view, env).find((provider) => !provider.reason && provider.models.length > 0)
  return usable ? `${usable.name}/${usable.models[0]}` : demoModel
}

/** What `provider/model` means here, or why it cannot be had. */
export function pickModel(providers: readonly Provider[], name: string): Picked | ModelError {
  const slash = name.indexOf('/')
  const modelId = name.slice(slash + 1)
  const refuse = (why: string): ModelError => ({
    kind: 'bad-request',
    message: `${why} Usable: ${usableNames(providers)}.`,
  })
  if (slash < 1 || modelId === '') return refuse(`"${name}" is not a model name; it must be "provider/model".`)
  const provider = providers.find((candidate) => candidate.name === name.slice(0, slash))
  if (!provider) return refuse(`There is no provider "${name.slice(0, slash)}" for the model "${name}".`)
  if (provider.reason) return refuse(provider.reason)
  if (provider.closed && !provider.models.includes(modelId)) {
    return refuse(`The settings of the provider "${provider.name}" list no model "${modelId}".`)
  }
  return { provider, modelId }
}

const NAMES_SHOWN = 12

function usableNames(providers: readonly Provider[]): string {
  const names = providers
    .filter((provider) => !provider.reason)
    .flatMap(({ name, models }) => (models.length > 0 ? models.map((model) => `${name}/${model}`) : [`${name}/…`]))
  const more = names.length - NAMES_SHOWN
  return names.slice(0, NAMES_SHOWN).join(', ') + (more > 0 ? ` and ${more} more in the list of models` : '')
}

function fromSettings(name: string, settings: ProviderSettings, env: Env): Provider {
  const type = settings.type ?? typeOf(name, settings)
  const secrets: string[] = []
  const missing: string[] = []
  const read = (value: string): string => {
    const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1]
    const found = variable === undefined ? value : env[variable]
    if (found) secrets.push(found)
    else if (variable !== undefined) missing.push(`$${variable}`)
    return found ?? ''
  }
  const key = settings.apiKey ?? ownKey(type, settings, env)
  const apiKey = key === undefined ? undefined : read(key)
  const headers = Object.fromEntries(
    Object.entries(settings.headers ?? {}).map(([field, value]) => [field, read(value)]),
  )
  return {
    name,
    type: type ?? 'openai-compatible',
    baseURL: settings.baseURL ?? (type === 'anthropic' ? anthropicURL : undefined),
    apiKey,
    headers,
    models: settings.models ?? (type === 'anthropic' ? anthropicModels : type === 'demo' ? ['demo'] : []),
    closed: settings.models !== undefined,
    reason: whyNot(name, type, settings, missing, apiKey),
    secrets,
  }
}

function whyNot(
  name: string,
  type: ProviderType | undefined,
  settings: ProviderSettings,
  missing: readonly string[],
  apiKey: string | undefined,
): string | undefined {
  if (!type) return `The provider "${name}" needs a type; set providers.${name}.type, for example "openai-compatible".`
  if (!built.includes(type)) {
    return `The provider "${name}" is of the type "${type}", which is not built yet; built are ${built.join(', ')}.`
  }
  if (missing.length > 0) return `The provider "${name}" reads ${missing.join(', ')}: not set in the environment.`
  if (type === 'openai-compatible' && !settings.baseURL) {
    return `The provider "${name}" needs an address; set providers.${name}.baseURL.`
  }
  if (type === 'anthropic' && !apiKey) {
    return `The provider "${name}" has no key; set ANTHROPIC_API_KEY or providers.${name}.apiKey.`
  }
  return undefined
}

/** The environment's key goes to the vendor's own address only: settings may point elsewhere. */
function ownKey(type: ProviderType | undefined, settings: ProviderSettings, env: Env): string | undefined {
  return type === 'anthropic' && !settings.baseURL && env.ANTHROPIC_API_KEY ? '$ANTHROPIC_API_KEY' : undefined
}

function typeOf(name: string, settings: ProviderSettings): ProviderType | undefined {
  const named: Record<string, ProviderType> = {
    anthropic: 'anthropic',
    openai: 'openai',
    google: 'google',
    openrouter: 'openrouter',
    demo: 'demo',
  }
  return named[name] ?? (settings.baseURL ? 'openai-compatible' : undefined)
}
