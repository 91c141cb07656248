import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Model } from '../../contract/models.ts'
import { providerKeys } from '../../contract/settings.ts'
import { asCalled, troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { noOllama } from '../default-model.ts'
import { exits, Failure } from '../failure.ts'
import { paint, say, tell, warn } from '../print.ts'
import { table } from '../table.ts'

export default function define(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('all models, and why one cannot be used')
    .action(action(models))
  command
    .command('update')
    .description('fetch the newest prices and context windows from the public catalogue')
    .action(action(update))
}

async function update(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const answer = await client.call('POST /api/models/update', { timeoutMs: 60_000 })
  tell(cli, answer, ({ models, from }) => say(`${paint('green', '✓')} ${models} models, from ${from}`))
}

async function models(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const items = await client.all('GET /api/models')
  tell(cli, { items }, () => {
    const rows = items.map((model) => ({
      model: model.name,
      usable: model.usable ? 'yes' : 'no',
      window: model.contextWindow ? `${Math.round(model.contextWindow / 1000)}k` : '',
      note: [model.isDefault ? 'default' : '', asCalled(model.reason ?? '')].filter(Boolean).join('; '),
    }))
    table(rows, 'No model can be used.')
    if (cli.env.OLLAMA_HOST && !items.some(({ provider }) => provider === 'ollama'))
      warn(`${noOllama(cli.env)}. Start it there with a model pulled, or unset OLLAMA_HOST.`)
    say(
      paint(
        'dim',
        `\nAny "provider/model" of a usable provider works; choose with "${troupe} config set defaultModel <name>".`,
      ),
    )
  })
}

const SHOWN = 12

/** Refuses a model that is known not to exist. Where only the provider can know, it warns and lets the name pass. */
export async function checkModel(client: Client, name: string): Promise<void> {
  const slash = name.indexOf('/')
  const model = name.slice(slash + 1)
  // The server refuses a text that is no name of a model, in its own words.
  if (slash < 1 || model === '') return
  const provider = name.slice(0, slash)
  const models = await client.all('GET /api/models')
  const listed = models.filter((known) => known.provider === provider)
  const found = listed.find((known) => known.name === name)
  if (found?.usable) return
  const named = listed.filter((known) => !known.name.endsWith('/…'))
  if (!found && named.length > 0 && (await listsAll(client, provider, named.length)))
    throw unknown(`The provider "${provider}" has no model "${model}".`, named)
  const reason = listed.find(({ usable }) => !usable)?.reason
  if (reason) return warn(`${name} cannot be used yet: ${asCalled(reason)}`)
  if (listed.length > 0)
    return warn(`${name} is not in the list of models; ${provider} will say whether it exists when it is used.`)
  const key = providerKeys[provider]
  if (key)
    return warn(`${name} cannot be used yet: there is no key for ${provider}. Set ${key}, then "${troupe} down".`)
  if (provider === 'ollama') return warn(`${name} cannot be used yet: no Ollama answers here.`)
  throw unknown(
    `There is no provider "${provider}" for the model "${name}".`,
    models.filter(({ usable }) => usable),
  )
}

const MOST = 500

/** Whether no model is missing. Vendors list only some, unless the settings name them; other servers list all. */
async function listsAll(client: Client, provider: string, count: number): Promise<boolean> {
  const { items } = await client.call('GET /api/settings')
  const value = items.find(({ key }) => key === `providers.${provider}`)?.value
  const own = typeof value === 'object' && value !== null ? value : {}
  const type = 'type' in own ? String(own.type) : provider
  return 'models' in own || (!(type in providerKeys) && count < MOST)
}

function unknown(message: string, models: readonly Model[]): Failure {
  const names = models.map(({ name }) => name)
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more in "${troupe} models"` : ''
  return new Failure(exits.failed, message, {
    code: 'model.unknown',
    hint: `There is: ${names.slice(0, SHOWN).join(', ')}${more}.`,
  })
}
