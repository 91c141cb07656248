import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Picked } from './providers.ts'

/** The vendor's language model. Its package is loaded at the first request, not when the program starts. */
export async function languageModel({ provider, modelId }: Picked, fetch: Fetch | undefined): Promise<LanguageModelV4> {
  const common = {
    headers: provider.headers,
    baseURL: provider.baseURL ?? '',
    ...(provider.apiKey ? { apiKey: provider.apiKey } : {}),
    ...(fetch ? { fetch } : {}),
  }
  if (provider.type === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(common)(modelId)
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({ ...common, name: provider.name, includeUsage: true })(modelId)
}

export type Fetch = typeof globalThis.fetch

/** Pings are signs of life: without them a model that thinks for long would be taken for a silent stream. */
export const anthropicOptions: SharedV4ProviderOptions = { anthropic: { includePings: true } }
