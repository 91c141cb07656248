import type { Command } from 'commander'
import { systemClock } from '../../lib/clock.ts'
import { action, type Cli } from '../cli.ts'
import { all, connect } from '../client.ts'
import { clean, paint, say, table, tell } from '../print.ts'

interface Account {
  readonly provider: string
  readonly name: string
  readonly usable: boolean
  readonly reason?: string
  readonly exhaustedUntil?: string
  readonly waiting: number
}

export function define(command: Command): void {
  command.action(action(accounts))
}

async function accounts(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const items = await all<Account>(client, '/api/accounts')
  tell(cli, { items }, () => {
    const rows = items.map((account) => ({
      provider: account.provider,
      account: account.name,
      usable: stateOf(account),
      waiting: account.waiting > 0 ? String(account.waiting) : '',
      note: clean(account.reason ?? ''),
    }))
    table(rows, 'No provider is configured; the demo needs none.')
    say(
      paint('dim', '\nSeveral keys for one provider: providers.<name>.accounts in the settings, used in their order.'),
    )
  })
}

function stateOf({ usable, exhaustedUntil }: Account): string {
  if (!usable) return 'no'
  if (exhaustedUntil === undefined) return 'yes'
  const minutes = Math.max(1, Math.ceil((Date.parse(exhaustedUntil) - systemClock.now()) / 60_000))
  return `in ${minutes} min`
}
