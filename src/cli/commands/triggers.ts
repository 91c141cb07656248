import type { Command } from 'commander'
import type { Trigger, TriggerFire } from '../../contract/triggers.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { usage } from '../failure.ts'
import { ago, oneLine, paint, say, tell } from '../print.ts'
import { runNamed } from '../runs/ref.ts'
import { table } from '../table.ts'
import { type ActionOptions, actionFrom, type WhenOptions, whenFrom } from '../trigger-words.ts'

export default function define(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('what starts by itself later')
    .option('--all-projects', 'of every project')
    .action(action(list))
  command.command('show').argument('<id>').description('one trigger, whole').action(action(show))
  const create = command
    .command('create')
    .description('make one: say when (one of the first six) and what to do')
    .option('--cron <schedule>', 'at each match: "0 9 * * MON-FRI"')
    .option('--every <time>', 'again and again: 30m, 2h, 1d; looks first whether something is new')
    .option('--in <time>', 'once, after so long: 90s, 10m')
    .option('--at <time>', 'once: 2026-12-24T18:00:00+01:00')
    .option('--on <event>', 'at each event: task.finished, task.*')
    .option('--idle <agent>', 'when this agent was idle as long as --for says')
    .option('--for <time>', 'how long: 10m')
    .option('--zone <zone>', 'time zone of --cron: Europe/Berlin')
    .option('--only-if <what>', 'for --every: mail,event,files; "always" acts each time')
    .option('--filter <json>', 'for --on: what the data of the event must have')
    .option('--to <address>', 'send to this agent or session')
    .option('--message <text>', 'what is sent')
    .option('--task <agent>', 'give this agent a task')
    .option('--prompt <text>', 'what the task is')
    .option('--skill <name>', 'for --task: the skill by which it is done; --prompt is then what follows its name')
    .option('--run <run>', 'put a node on the board of this open run, or of the "latest"; --prompt is what to do')
    .option('--webhook <url>', 'call this address')
    .option('--private', 'for --webhook: the address may be in your own network')
    .option('--name <name>', 'what you call it')
    .option('--catch-up <policy>', 'what becomes of times that were missed: one, none, all')
    .option('--max-fires <count>', 'it expires after so many')
  create.action(action(make))
  for (const [name, does] of [
    ['pause', 'let it not fire until it is resumed'],
    ['resume', 'let it fire again; what it missed meanwhile is not made up for'],
  ] as const) {
    command
      .command(name)
      .argument('<id>')
      .description(does)
      .action(action((cli, id: string) => change(cli, id, name)))
  }
  command.command('delete').argument('<id>').description('delete it, with its outcomes').action(action(remove))
  command.command('fire').argument('<id>').description('fire it now').action(action(fire))
  command
    .command('fires')
    .argument('<id>')
    .description('what became of each of its times')
    .option('--limit <count>', 'the last ones', '20')
    .action(action(fires))
}

interface CreateOptions extends WhenOptions, ActionOptions {
  readonly name?: string
  readonly catchUp?: string
  readonly maxFires?: string
}

async function list(cli: Cli, options: { allProjects?: boolean }): Promise<void> {
  const client = await connect(cli)
  const items = await client.all('GET /api/triggers', { query: options.allProjects ? { project: '*' } : {} })
  tell(cli, { items }, () => {
    const rows = items.map((trigger) => ({
      id: shortId(trigger),
      name: oneLine(trigger.name, 40),
      when: whenWords(trigger),
      does: doesWords(trigger),
      status: trigger.status,
      next: trigger.nextAt ?? '',
      fires: String(trigger.fires),
      last: oneLine(trigger.lastOutcome ?? '', 40),
    }))
    table(
      rows,
      `Nothing is set up. For example: ${troupe} triggers create --cron "0 9 * * *" --to assistant --message "…"`,
    )
  })
}

async function show(cli: Cli, id: string): Promise<void> {
  const client = await connect(cli)
  tell(cli, await client.call('GET /api/triggers/{id}', { params: { id } }), sayTrigger)
}

async function make(cli: Cli, options: CreateOptions): Promise<void> {
  const body = {
    ...whenFrom(options),
    action: actionFrom(options),
    ...(options.name ? { name: options.name } : {}),
    ...(options.catchUp ? { catchUp: policyOf(options.catchUp) } : {}),
    ...(options.maxFires ? { maxFires: countOf('--max-fires', options.maxFires) } : {}),
    clientId: newId('cli'),
  }
  const client = await connect(cli)
  if (body.action.type === 'run_node')
    body.action = { ...body.action, run: (await runNamed(client, body.action.run)).id }
  tell(cli, await client.call('POST /api/triggers', { body }), (trigger) => {
    say(
      `${paint('green', '✓')} ${shortId(trigger)} ${trigger.name}${trigger.nextAt ? `: next at ${trigger.nextAt}` : ''}`,
    )
  })
}

async function change(cli: Cli, id: string, name: 'pause' | 'resume'): Promise<void> {
  const client = await connect(cli)
  const status = name === 'pause' ? 'paused' : 'active'
  tell(cli, await client.call('PATCH /api/triggers/{id}', { params: { id }, body: { status } }), (trigger) => {
    say(
      `${paint('green', '✓')} ${shortId(trigger)} is ${trigger.status}${trigger.nextAt ? `: next at ${trigger.nextAt}` : ''}`,
    )
  })
}

async function remove(cli: Cli, id: string): Promise<void> {
  const client = await connect(cli)
  const trigger = await client.call('GET /api/triggers/{id}', { params: { id } })
  tell(cli, await client.call('DELETE /api/triggers/{id}', { params: { id: trigger.id } }), () =>
    say(`${paint('green', '✓')} ${shortId(trigger)} ${trigger.name} is deleted.`),
  )
}

async function fire(cli: Cli, id: string): Promise<void> {
  const client = await connect(cli)
  const body = { clientId: newId('cli') }
  tell(cli, await client.call('POST /api/triggers/{id}/fire', { params: { id }, body }), (one) => say(fireLine(one)))
}

async function fires(cli: Cli, id: string, options: { limit: string }): Promise<void> {
  const client = await connect(cli)
  const limit = Math.min(200, countOf('--limit', options.limit))
  const page = await client.call('GET /api/triggers/{id}/fires', { params: { id }, query: { limit } })
  tell(cli, page, ({ items }) => {
    const rows = items.map((one) => ({
      due: one.dueAt,
      outcome: one.outcome,
      times: one.covers === 1 ? '' : String(one.covers),
      what: oneLine(whatCame(one), 80),
    }))
    table(rows, 'It has not been due yet.')
  })
}

const shortId = ({ id }: Trigger): string => id.replace(/^trigger_/, '').slice(0, 8)

function sayTrigger(trigger: Trigger): void {
  say(`${paint('bold', shortId(trigger))} ${trigger.name}`)
  const facts: Record<string, string | undefined> = {
    when: whenWords(trigger),
    does: doesWords(trigger),
    status: `${trigger.status}${trigger.reason ? `: ${trigger.reason}` : ''}`,
    next: trigger.nextAt,
    fires: `${trigger.fires}${trigger.maxFires ? ` of ${trigger.maxFires}` : ''}`,
    last: trigger.lastOutcome && `${trigger.lastOutcome} ${ago(trigger.lastAt, systemClock.now())}`.trim(),
    'catch up': trigger.catchUp,
    'made by': trigger.madeBy,
    id: trigger.id,
  }
  for (const [name, value] of Object.entries(facts)) if (value) say(`  ${paint('dim', name.padEnd(10))}${value}`)
}

const whenWords = ({ type, config }: Trigger): string =>
  `${type} ${Object.entries(config)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')}`

function doesWords({ action: { type, to, agent, url, heartbeat } }: Trigger): string {
  if (type === 'send') return `send to ${to ?? 'its maker'}`
  if (type === 'webhook') return `call ${url}`
  return type === 'tick' ? `tick of ${agent}/${heartbeat}` : `task for ${agent}`
}

function whatCame({ reason, result = {}, delivery, attempts }: TriggerFire): string {
  if (delivery) return `${result.url} ${delivery}${attempts ? `, tried ${attempts}` : ''}${reason ? `: ${reason}` : ''}`
  return (
    reason ??
    Object.entries(result)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ')
  )
}

const fireLine = (one: TriggerFire): string => {
  const mark = one.outcome === 'fired' ? paint('green', '✓') : paint('yellow', '!')
  return `${mark} ${one.outcome}: ${whatCame(one)}`
}

function policyOf(text: string): 'one' | 'none' | 'all' {
  if (text === 'one' || text === 'none' || text === 'all') return text
  throw usage(`--catch-up must be one, none or all, not "${text}".`)
}

function countOf(option: string, text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw usage(`${option} must be a number above 0, not "${text}".`)
}
