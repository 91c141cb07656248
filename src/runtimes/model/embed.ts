import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { AppError } from '../../contract/errors.ts'
import type { Account } from './accounts.ts'
import type { Fetch } from './vendors/language.ts'
import { accountOf, type Picked, type Provider, pickModel } from './vendors/providers.ts'

const REQUEST_MS = 30_000
const TEXT_CHARS = 8000

/** Turns texts into vectors, by one account of the model's provider. */
export const createEmbed =
  (fetchOf: (account: Account) => Fetch) =>
  async (
    providers: readonly Provider[],
    name: string,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array[]> => {
    const picked = pickModel(providers, name)
    if ('problem' in picked) throw new AppError('model.unknown', picked.problem)
    const account = accountOf(picked.provider)
    if (account === undefined) throw new AppError('model.unknown', `"${name}" has no account that can be used.`)
    const model = await embeddingModel(picked, account, fetchOf(account))
    const most = (await model.maxEmbeddingsPerCall) ?? texts.length
    const vectors: Float32Array[] = []
    for (let at = 0; at < texts.length; at += most) {
      const { embeddings } = await model.doEmbed({
        // A vendor refuses an empty text and with it the whole request.
        values: texts.slice(at, at + most).map((text) => text.slice(0, TEXT_CHARS).trim() || '-'),
        abortSignal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
      })
      vectors.push(...embeddings.map((values) => Float32Array.from(values)))
    }
    if (vectors.length === texts.length) return vectors
    throw new AppError('model.failed', `"${name}" gave ${vectors.length} vectors for ${texts.length} texts.`)
  }

async function embeddingModel(
  { provider, modelId }: Picked,
  account: Account,
  fetch: Fetch,
): Promise<EmbeddingModelV4> {
  const common = {
    headers: account.headers,
    baseURL: account.baseURL ?? '',
    ...(account.apiKey ? { apiKey: account.apiKey } : {}),
    fetch,
  }
  switch (provider.type) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(common).embeddingModel(modelId)
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(common).embeddingModel(modelId)
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ ...common, name: provider.name }).embeddingModel(modelId)
    }
    default:
      throw new AppError('model.unknown', `A provider of the type "${provider.type}" has no embedding models here.`, {
        hint: 'Set memory.embeddings to a model of an openai, google or openai-compatible provider.',
      })
  }
}
