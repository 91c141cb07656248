import type { Command } from 'commander'
import { action, type Cli } from './cli.ts'
import { all, connect } from './client.ts'
import { paint, say, table, tell } from './print.ts'

export interface Model {
  readonly name: string
  readonly provider: string
  readonly usable: boolean
  readonly reason?: string
  readonly contextWindow?: number
  readonly isDefault?: boolean
}

export function define(command: Command): void {
  command.command('list', { isDefault: true }).description('all of them, and why not').action(action(models))
  command
    .command('update')
    .description('fetch the newest prices and context windows from the public catalogue')
    .action(action(update))
}

async function update(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const answer = await client.post<{ models: number; from: string }>('/api/models/update', {}, { timeoutMs: 60_000 })
  tell(cli, answer, ({ models, from }) => say(`${paint('green', '✓')} ${models} models, from ${from}`))
}

async function models(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const items = await all<Model>(client, '/api/models')
  tell(cli, { items }, () => {
    const rows = items.map((model) => ({
      model: model.name,
      usable: model.usable ? 'yes' : 'no',
      window: model.contextWindow ? `${Math.round(model.contextWindow / 1000)}k` : '',
      note: [model.isDefault ? 'default' : '', model.reason ?? ''].filter(Boolean).join('; '),
    }))
    table(rows, 'No model can be used.')
    say(
      paint(
        'dim',
        '\nAny "provider/model" of a usable provider works; choose with "troupe config set defaultModel <name>".',
      ),
    )
  })
}
