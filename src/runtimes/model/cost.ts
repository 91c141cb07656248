import type { Quote } from '../../core/base/index.ts'
import type { Destination } from './candidates.ts'
import { type Catalogue, costBySettings, type Usage } from './catalogue.ts'
import { isLocal } from './vendors/facts.ts'

/** What an answer costs in USD; undefined where nobody knows, which is not the same as nothing. */
type CostOf = (usage: Usage, now: number) => number | undefined

/** The person's own price, nothing for a model on the person's own machine, else the catalogue's. */
export async function costOf(catalogue: Catalogue, { provider, modelId, account }: Destination): Promise<CostOf> {
  const { type, name } = provider
  const price = provider.prices[modelId]
  if (price?.input !== undefined) return (usage) => costBySettings(price, usage)
  if (name === 'ollama' && isLocal(account.baseURL)) return () => 0
  // A local server is in no catalogue, so none is loaded for it.
  if (type === 'openai-compatible' && isLocal(account.baseURL)) return () => undefined
  const loaded = await catalogue.load()
  const listed = { type, baseURL: account.baseURL, modelId }
  return (usage, now) => loaded.costOf(listed, usage, new Date(now))
}

/** The demo and recordings cost nothing. */
const isScripted = ({ type }: Destination['provider']): boolean => type === 'demo' || type === 'replay'

/** What a request would cost at most: nothing is read from the vendor's cache, and all of it may be written there. */
export async function quoteOf(
  catalogue: Catalogue,
  destination: Destination,
  { now, outputTokens }: { now: () => number; outputTokens: number },
): Promise<Quote | undefined> {
  if (isScripted(destination.provider)) return { costUsd: () => 0, outputTokens }
  const cost = await costOf(catalogue, destination)
  const most = (input: number, output: number): number | undefined => {
    const plain = cost({ input, output, cached: 0, written: 0 }, now())
    const written = cost({ input, output, cached: 0, written: input }, now())
    return plain === undefined || written === undefined ? (plain ?? written) : Math.max(plain, written)
  }
  return most(1, 1) === undefined ? undefined : { costUsd: (input, output) => most(input, output) ?? 0, outputTokens }
}

/** A turn asks before its first call. The catalogue is loaded, once, only where nothing else could know. */
export async function windowOf(
  catalogue: Catalogue,
  { provider, modelId, account: { baseURL } }: Destination,
): Promise<number | undefined> {
  const own = provider.prices[modelId]?.contextWindow
  if (own !== undefined || isScripted(provider)) return own
  if (provider.type === 'openai-compatible' && isLocal(baseURL)) return undefined
  const loaded = catalogue.loaded ?? (await catalogue.load().catch(() => undefined))
  return loaded?.windowOf({ type: provider.type, baseURL, modelId })
}

/** The same without a wait: where the catalogue is not loaded yet, only what the settings say. */
export const knownWindow = (catalogue: Catalogue, { provider, modelId, account }: Destination): number | undefined =>
  provider.prices[modelId]?.contextWindow ??
  catalogue.loaded?.windowOf({ type: provider.type, baseURL: account.baseURL, modelId })
