import type { Client } from '../client/client.ts'
import type { Model } from '../contract/models.ts'
import { providerKeys } from '../contract/settings.ts'
import { asCalled } from './called.ts'
import type { Cli } from './cli.ts'

/** The model of agents that name none. */
interface DefaultModel {
  readonly name: string
  /** Why it cannot be used. */
  readonly trouble?: string
  /** What a person should know about it all the same. */
  readonly remark?: string
}

export const isDemo = (name: string): boolean => name.startsWith('demo/')

export async function defaultModel({ env }: Cli, client: Client): Promise<DefaultModel> {
  const models = await client.all('GET /api/models')
  const chosen = models.find((model) => model.isDefault)
  if (!chosen) return unlisted(client, models)
  const { name, usable, reason } = chosen
  if (!usable) return { name, trouble: asCalled(reason ?? 'cannot be used') }
  if (!isDemo(name)) return { name }
  const ollama = env.OLLAMA_HOST ? `; no Ollama with a model answers at OLLAMA_HOST, ${env.OLLAMA_HOST}` : ''
  return { name, remark: `scripted demo: it plays, it does not think${ollama}` }
}

/** The default model is in no list. Its provider may have it all the same, if that provider can be used. */
async function unlisted(client: Client, models: readonly Model[]): Promise<DefaultModel> {
  const { items } = await client.call('GET /api/settings')
  const name = String(items.find(({ key }) => key === 'defaultModel')?.value ?? 'no model')
  const listed = models.filter(({ provider }) => name.startsWith(`${provider}/`))
  if (listed.some(({ usable }) => usable))
    return { name, remark: 'in no list: whether it exists shows when it is used' }
  const key = providerKeys[name.split('/')[0] ?? '']
  return { name, trouble: asCalled(listed[0]?.reason ?? (key ? `${key} is not set` : 'there is no such provider')) }
}
