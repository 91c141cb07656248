import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Account } from '../accounts.ts'
import type { Picked, Provider } from './providers.ts'

export type Fetch = typeof globalThis.fetch

/** The vendor's language model. Its package is loaded at the first request, not when the program starts. */
export async function languageModel(
  { provider, modelId }: Picked,
  account: Account,
  fetch: Fetch | undefined,
): Promise<LanguageModelV4> {
  const common = {
    headers: account.headers,
    baseURL: account.baseURL ?? '',
    ...(account.apiKey ? { apiKey: account.apiKey } : {}),
    ...(fetch ? { fetch } : {}),
  }
  switch (provider.type) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(common)(modelId)
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(common)(modelId)
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(common)(modelId)
    case 'openrouter': {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider')
      return createOpenRouter({ ...common, compatibility: 'strict' })(modelId, { usage: { include: true } })
    }
    default: {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ ...common, name: provider.name, includeUsage: true })(modelId)
    }
  }
}

/** What each vendor is asked for besides the conversation. */
export function vendorOptions(
  { type }: Provider,
  sessionId: string,
  reasoning: string | undefined,
  thinking?: number,
): Pick<LanguageModelV4CallOptions, 'providerOptions'> {
  const options = optionsOf(type, sessionId, reasoning, thinking)
  return options === undefined ? {} : { providerOptions: options }
}

function optionsOf(
  type: Provider['type'],
  sessionId: string,
  reasoning: string | undefined,
  thinking: number | undefined,
): SharedV4ProviderOptions | undefined {
  // Pings are signs of life: without them a model that thinks for long would be taken for a silent stream.
  if (type === 'anthropic') {
    const bounded = thinking === undefined ? {} : { thinking: { type: 'enabled' as const, budgetTokens: thinking } }
    return { anthropic: { includePings: true, ...bounded } }
  }
  // We keep the log, so the vendor stores nothing; the key lets requests of one session meet the same cache.
  if (type === 'openai') {
    const summary = reasoning === undefined || reasoning === 'none' ? {} : { reasoningSummary: 'auto' }
    return { openai: { store: false, promptCacheKey: sessionId, ...summary } }
  }
  if (type === 'google' && reasoning !== undefined && reasoning !== 'none') {
    return { google: { thinkingConfig: { includeThoughts: true } } }
  }
  if (type === 'openrouter' && reasoning !== undefined) {
    return { openrouter: { reasoning: { effort: reasoning === 'max' ? 'xhigh' : reasoning } } }
  }
  return undefined
}
