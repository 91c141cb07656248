import type { Command } from 'commander'
import type { AccountState } from '../../contract/models.ts'
import { systemClock } from '../../lib/clock.ts'
import { asCalled } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { paint, say, tell } from '../print.ts'
import { table } from '../table.ts'

export default function define(command: Command): void {
  command.action(action(accounts))
}

async function accounts(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const items = await client.all('GET /api/accounts')
  tell(cli, { items }, () => {
    const rows = items.map((account) => ({
      provider: account.provider,
      account: account.name,
      usable: stateOf(account),
      waiting: account.waiting > 0 ? String(account.waiting) : '',
      note: asCalled(account.reason ?? ''),
    }))
    table(rows, 'No provider is configured; the demo needs none.')
    say(
      paint('dim', '\nSeveral keys for one provider: providers.<name>.accounts in the settings, used in their order.'),
    )
  })
}

function stateOf({ usable, exhaustedUntil, closedUntil }: AccountState): string {
  if (!usable) return 'no'
  const until = exhaustedUntil ?? closedUntil
  if (until === undefined) return 'yes'
  const seconds = Math.max(1, Math.ceil((Date.parse(until) - systemClock.now()) / 1000))
  return seconds < 90 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`
}
