import type { ModelInfo } from '../../core/core.ts'
import type { Fetch } from './language.ts'
import { defaultModelName, type Env, type Provider, type ProviderView } from './providers.ts'

const ASK_MS = 3000
const MODELS_SHOWN = 500

/** Every model that can be named here. A server whose settings list none is asked what it has. */
export async function listModels(
  view: ProviderView,
  providers: readonly Provider[],
  env: Env,
  fetch: Fetch,
): Promise<ModelInfo[]> {
  const chosen = defaultModelName(view, env)
  const lists = await Promise.all(providers.map((provider) => modelsOf(provider, fetch)))
  return lists.flat().map((info) => (info.name === chosen ? { ...info, isDefault: true } : info))
}

async function modelsOf(provider: Provider, fetch: Fetch): Promise<ModelInfo[]> {
  const { name, reason } = provider
  const info = (model: string, why = reason): ModelInfo => {
    const known = { name: `${name}/${model}`, provider: name, usable: !why }
    return why ? { ...known, reason: why } : known
  }
  if (reason || provider.models.length > 0)
    return (provider.models.length > 0 ? provider.models : ['…']).map((m) => info(m))
  const found = await ask(provider, fetch)
  if (found.length > 0) return found.map((model) => info(model))
  return [info('…', `"${name}" did not list its models; start it, or name them in providers.${name}.models.`)]
}

async function ask(provider: Provider, fetch: Fetch): Promise<string[]> {
  try {
    const key: Record<string, string> = provider.apiKey ? { authorization: `Bearer ${provider.apiKey}` } : {}
    const response = await fetch(`${provider.baseURL?.replace(/\/$/, '')}/models`, {
      headers: { ...key, ...provider.headers },
      signal: AbortSignal.timeout(ASK_MS),
    })
    const { data } = (await response.json()) as { data?: { id?: unknown }[] }
    return (data ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : [])).slice(0, MODELS_SHOWN)
  } catch {
    return []
  }
}
