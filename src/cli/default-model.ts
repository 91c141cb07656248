import type { Client } from '../client/client.ts'
import type { Agent } from '../contract/agents.ts'
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

export async function defaultModel(cli: Cli, client: Client): Promise<DefaultModel> {
  const { env } = cli
  const models = await client.all('GET /api/models')
  const chosen = models.find((model) => model.isDefault)
  if (!chosen) return unlisted(cli, client, models)
  const { name, usable, reason } = chosen
  if (!usable) return { name, trouble: asCalled(reason ?? 'cannot be used') }
  if (!isDemo(name)) return { name }
  return { name, remark: `scripted demo: it plays, it does not think${env.OLLAMA_HOST ? `; ${noOllama(env)}` : ''}` }
}

/** The default model is in no list. Its provider may have it all the same, if that provider can be used. */
async function unlisted({ env }: Cli, client: Client, models: readonly Model[]): Promise<DefaultModel> {
  const { items } = await client.call('GET /api/settings')
  const name = String(items.find(({ key }) => key === 'defaultModel')?.value ?? 'no model')
  const trouble = troubleWith(name, models, env)
  return trouble ? { name, trouble } : { name, remark: 'in no list: whether it exists shows when it is used' }
}

/** Why no account can be asked for a model; whether there is such a model shows when it is used. */
function troubleWith(name: string, models: readonly Model[], env: Cli['env']): string | undefined {
  const provider = name.split('/')[0] ?? ''
  const listed = models.filter((model) => model.provider === provider)
  if (listed.some(({ usable }) => usable)) return undefined
  if (listed[0]?.reason) return asCalled(listed[0].reason)
  if (provider === 'ollama') return noOllama(env)
  const key = Object.hasOwn(providerKeys, provider) ? providerKeys[provider] : undefined
  return key ? `${key} is not set` : 'there is no such provider'
}

/** Agents that name a model which nobody here can be asked for. */
export const modelTroubles = (agents: readonly Agent[], models: readonly Model[], env: Cli['env']) =>
  agents.flatMap(({ name, definition }) => {
    const trouble = definition.model && troubleWith(definition.model, models, env)
    return trouble ? [{ name, trouble: `its model ${definition.model} cannot be used: ${trouble}` }] : []
  })

/** Whoever set OLLAMA_HOST wants the Ollama there. */
export const noOllama = ({ OLLAMA_HOST: host }: Cli['env']): string =>
  `no Ollama with a model answers at ${host ? `OLLAMA_HOST, ${host}` : '127.0.0.1:11434'}`
