import type { Model } from '../../contract/models.ts'
import type { Account } from './accounts.ts'
import { type Catalogue, costBySettings } from './catalogue.ts'
import { isLocal } from './vendors/facts.ts'
import type { Fetch } from './vendors/language.ts'
import { accountOf, type Provider } from './vendors/providers.ts'

const ASK_MS = 3000
const MODELS_SHOWN = 500
/** Prices are those of a request of so many tokens: long ones cost more with some vendors. */
const SAMPLE = 1000

/** Every model that can be named here. A server whose settings list none is asked what it has. */
export async function listModels(
  providers: readonly Provider[],
  chosen: string,
  catalogue: Catalogue,
  fetchOf: (account: Account) => Fetch,
  now: number,
): Promise<Model[]> {
  const lists = await Promise.all(providers.map((provider) => modelsOf(provider, catalogue, fetchOf, now)))
  return lists.flat().map((info) => (info.name === chosen ? { ...info, isDefault: true } : info))
}

async function modelsOf(
  provider: Provider,
  catalogue: Catalogue,
  fetchOf: (account: Account) => Fetch,
  now: number,
): Promise<Model[]> {
  const { name, reason, type } = provider
  // A recording is named by its file, so there is nothing to list.
  if (type === 'replay') return []
  // An Ollama that was not found is left out: nobody asked for it.
  if (name === 'ollama' && !provider.closed && provider.models.length === 0 && !reason) return []
  const account = accountOf(provider)
  const inNone = type === 'demo' || (type === 'openai-compatible' && isLocal(account?.baseURL))
  const loaded = reason || inNone ? undefined : await catalogue.load()
  const priceOf = (modelId: string): Pick<Model, 'price'> => {
    if (type === 'demo') return { price: { input: 0, output: 0 } }
    const costs = (input: number, output: number): number | undefined => {
      const usage = { input, output, cached: 0, written: 0 }
      const listed = { type, baseURL: account?.baseURL, modelId }
      return costBySettings(provider.prices[modelId], usage) ?? loaded?.costOf(listed, usage, new Date(now))
    }
    const [input, output] = [costs(SAMPLE, 0), costs(0, SAMPLE)]
    if (input === undefined || output === undefined) return {}
    return { price: { input: perMillion(input), output: perMillion(output) } }
  }
  const info = (model: string, why = reason): Model => {
    const window =
      provider.prices[model]?.contextWindow ?? loaded?.windowOf({ type, baseURL: account?.baseURL, modelId: model })
    return {
      name: `${name}/${model}`,
      provider: name,
      usable: !why,
      ...(why ? { reason: why } : {}),
      ...(window === undefined ? {} : { contextWindow: window }),
      ...priceOf(model),
    }
  }
  if (reason || provider.models.length > 0)
    return (provider.models.length > 0 ? provider.models : ['…']).map((m) => info(m))
  const found = account === undefined ? [] : await ask(account, fetchOf(account))
  if (found.length > 0) return found.map((model) => info(model))
  return [info('…', `"${name}" did not list its models; start it, or name them in providers.${name}.models.`)]
}

const perMillion = (usd: number): number => Number(((usd / SAMPLE) * 1_000_000).toPrecision(6))

async function ask(provider: Account, fetch: Fetch): Promise<string[]> {
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
