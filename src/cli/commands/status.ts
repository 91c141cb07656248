import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { ServerStatus } from '../../contract/server.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { paint, price, say, tell } from '../print.ts'
import { warnAboutSettings } from '../problems.ts'

export default function define(command: Command): void {
  command.action(action(status))
}

async function status(cli: Cli): Promise<void> {
  const client = await connect(cli)
  // Counts all that the server holds, whatever project the person is in.
  const answer = await client.call('GET /api/status', { query: { project: '*' } })
  tell(cli, { url: client.url, ...answer }, () => sayStatus(client, answer))
  await warnAboutSettings(cli, client)
}

function sayStatus(client: Client, status: ServerStatus): void {
  say(`${paint('green', '●')} Troupe ${status.version} at ${paint('bold', client.url)} (pid ${status.pid})`)
  const facts: Record<string, string | undefined> = {
    project: status.project,
    data: status.home,
    store: [status.store.kind, status.store.durability && `durability ${status.store.durability}`]
      .filter(Boolean)
      .join(', '),
    engine: `${status.engine.kind}, ${status.engine.running} running`,
    model: status.defaultModel,
    providers: status.providers.join(', '),
    counts: Object.entries(status.counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
    today: price(status.costTodayUsd, status.unpricedTokensToday),
  }
  for (const [name, value] of Object.entries(facts)) if (value) say(`  ${paint('dim', name.padEnd(10))}${value}`)
  const { trouble } = status.store
  if (trouble) say(`\n${paint('red', 'Nothing can be written')} since ${trouble.since}: ${trouble.message}`)
  if (status.unreadable.length) say(`\n${paint('red', 'Some rows of the database cannot be read')}: "troupe doctor".`)
  if (status.counts.inbox) say(`\nSomething waits for you: "troupe inbox".`)
}
