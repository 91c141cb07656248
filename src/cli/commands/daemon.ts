import type { Command } from 'commander'
import type { Daemon } from '../../contract/triggers.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { oneLine, paint, say, tell } from '../print.ts'
import { table } from '../table.ts'
import { gatesIn, secondsIn } from '../trigger-words.ts'

export default function define(command: Command): void {
  command.command('list', { isDefault: true }).description('the agents that work by themselves').action(action(list))
  command
    .command('start')
    .argument('<agent>')
    .description('let an agent work by itself, by a file of its heartbeats/')
    .option('--heartbeat <name>', 'which file, without .md, when it has several')
    .option('--every <time>', 'how often: 30m unless told')
    .option('--cron <schedule>', 'at these times instead: "0 9 * * MON-FRI"')
    .option('--zone <zone>', 'time zone of --cron')
    .option('--only-if <what>', 'what must be new for a tick: mail,event,files; "always" ticks each time')
    .action(action(start))
  command
    .command('stop')
    .argument('<agent>')
    .description('no more ticks')
    .option('--heartbeat <name>', 'which file, when it has several')
    .action(action(stop))
}

interface StartOptions {
  readonly heartbeat?: string
  readonly every?: string
  readonly cron?: string
  readonly zone?: string
  readonly onlyIf?: string
}

async function list(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const page = await client.call('GET /api/daemons', {})
  tell(cli, page, ({ items }) => {
    const rows = items.map(({ agent, heartbeat, trigger, running }) => ({
      agent,
      heartbeat,
      status: trigger.status,
      next: trigger.nextAt ?? '',
      ticks: String(trigger.fires),
      running: running?.session ?? '',
      last: oneLine(trigger.lastOutcome ?? '', 60),
    }))
    table(rows, `No agent works by itself. Start one with "${troupe} daemon start <agent>".`)
  })
}

async function start(cli: Cli, agent: string, options: StartOptions): Promise<void> {
  const body = {
    ...(options.heartbeat ? { heartbeat: options.heartbeat } : {}),
    ...(options.every ? { intervalSeconds: secondsIn('--every', options.every) } : {}),
    ...(options.cron ? { cron: options.cron } : {}),
    ...(options.zone ? { timeZone: options.zone } : {}),
    ...(options.onlyIf ? { onlyIf: gatesIn(options.onlyIf) } : {}),
  }
  const client = await connect(cli)
  tell(cli, await client.call('POST /api/daemons/{agent}/start', { params: { agent }, body }), sayDaemon)
}

async function stop(cli: Cli, agent: string, { heartbeat }: { heartbeat?: string }): Promise<void> {
  const client = await connect(cli)
  const body = heartbeat ? { heartbeat } : {}
  tell(cli, await client.call('POST /api/daemons/{agent}/stop', { params: { agent }, body }), sayDaemon)
}

const sayDaemon = ({ agent, heartbeat, trigger, running }: Daemon): void => {
  const next = trigger.nextAt ? `; looks next at ${trigger.nextAt}` : ''
  say(`${paint('green', '✓')} ${agent}/${heartbeat} is ${trigger.status}${next}`)
  if (running) say(paint('dim', `A tick runs: ${troupe} sessions show ${running.session}`))
}
