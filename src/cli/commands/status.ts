import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { ServerStatus } from '../../contract/server.ts'
import { asCalled, troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { defaultModel } from '../default-model.ts'
import { type Exit, exits } from '../failure.ts'
import { oneLine, paint, price, say, tell } from '../print.ts'
import { warnAboutSettings } from '../problems.ts'
import { findServer } from '../server.ts'

export default function define(command: Command): void {
  command.action(action(status))
}

/** Looks and starts nothing. */
async function status(cli: Cli): Promise<Exit> {
  if (!cli.acting && !(await findServer(cli.home))) return sayNone(cli)
  const client = await connect({ ...cli, start: false })
  // Counts all that the server holds, whatever project the person is in.
  const answer = await client.call('GET /api/status', { query: { project: '*' } })
  const { name, trouble, remark } = await defaultModel(cli, client)
  const model = [name, trouble && `cannot be used: ${trouble}`, remark].filter(Boolean).join(', ')
  tell(cli, { running: true, url: client.url, ...answer }, () => sayStatus(client, answer, model))
  if (!cli.json && !cli.acting) await sayServers(client)
  await warnAboutSettings(cli, client)
  return exits.ok
}

/** Servers of the project whose tools agents go without. */
async function sayServers(client: Client): Promise<void> {
  for (const { name, state, reason = '' } of await client.all('GET /api/mcp')) {
    if (state !== 'down' && state !== 'login') continue
    const way = state === 'login' ? 'login' : 'logs'
    say(
      `\n${paint('yellow', '!')} The MCP server ${name} is down: ${oneLine(reason, 200)}. "${troupe} mcp ${way} ${name}"`,
    )
  }
}

function sayNone(cli: Cli): Exit {
  tell(cli, { running: false, home: cli.home, project: cli.project }, () => {
    say(`${paint('dim', '○')} No server runs for the data folder ${paint('bold', cli.home)}.`)
    say(paint('dim', `"${troupe}" or any command that needs one starts it; "${troupe} up" starts it to stay.`))
  })
  return exits.unreachable
}

function sayStatus(client: Client, status: ServerStatus, model: string): void {
  say(`${paint('green', '●')} Troupe ${status.version} at ${paint('bold', client.url)} (pid ${status.pid})`)
  const reserved = status.reservedUsd > 0 ? `, ${price(status.reservedUsd, 0)} reserved` : ''
  const facts: Record<string, string | undefined> = {
    page: `${client.url}/  ("${troupe} open" signs a browser in)`,
    project: status.project,
    data: status.home,
    store: [status.store.kind, status.store.durability && `durability ${status.store.durability}`]
      .filter(Boolean)
      .join(', '),
    engine: `${status.engine.kind}, ${status.engine.running} running`,
    model,
    providers: status.providers.join(', '),
    counts: Object.entries(status.counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
    paused: pausedIn(status),
    today: `${price(status.costTodayUsd, status.unpricedTokensToday)}${reserved}`,
  }
  for (const [name, value] of Object.entries(facts)) if (value) say(`  ${paint('dim', name.padEnd(10))}${value}`)
  const { trouble } = status.store
  if (trouble) say(`\n${paint('red', 'Nothing can be written')} since ${trouble.since}: ${asCalled(trouble.message)}`)
  const { presence } = status
  if (presence.status === 'away') {
    const back = presence.until === undefined ? '' : ` until ${new Date(presence.until).toLocaleString()}`
    say(`\nYou are away${back}. "${troupe} available" ends it.`)
  }
  if (presence.pausedSince !== undefined)
    say(
      `\n${paint('yellow', 'Everything is paused')} since ${new Date(presence.pausedSince).toLocaleString()}. "${troupe} resume --all" lets it go on.`,
    )
  if (status.unreadable.length)
    say(`\n${paint('red', 'Some rows of the database cannot be read')}: "${troupe} doctor".`)
  if (status.counts.inbox) say(`\nSomething waits for you: "${troupe} inbox".`)
}

/** What stands still because a person or a limit said so. */
function pausedIn({ counts, pausedRuns }: ServerStatus): string {
  const some = (count: number, noun: string) => (count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`])
  return [...some(counts.paused ?? 0, 'session'), ...some(pausedRuns, 'run')].join(', ')
}
