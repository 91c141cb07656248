import { type Command, Option } from 'commander'
import type { InboxItem } from '../../contract/inbox.ts'
import { type Board, type Node, type Run, RunStatus } from '../../contract/runs.ts'
import { systemClock } from '../../lib/clock.ts'
import { asCalled, troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, usage } from '../failure.ts'
import { sayItem } from '../inbox-items.ts'
import { ago, inColumns, note, oneLine, paint, price, say, tell } from '../print.ts'
import { nodeNamed, runNamed, shortRun } from '../runs/ref.ts'
import { sayFiles, sayTree } from '../runs/result.ts'
import { askedIn } from '../runs/watched.ts'
import { table } from '../table.ts'
import { followRun } from './run.ts'
import { defineReading } from './runs-read.ts'
import { defineSteering } from './runs-steer.ts'

export default function define(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('runs, the newest first')
    .addOption(new Option('--status <status>', 'only those in this state').choices([...RunStatus.options]))
    .option('--limit <number>', 'how many, 200 at most', '30')
    .option('--all-projects', 'not only this project')
    .action(action(list))
  verb(command, 'show', 'one run: its nodes, workers, result')
    .argument('[node]', 'one of its nodes, whole: any unique beginning of its id or of its title')
    .action(action(show))
  verb(command, 'watch', 'follow it until it ends (0), fails (1) or waits for you (4)').action(action(watch))
  defineReading((name, does) => verb(command, name, does))
  defineSteering((name, does) => verb(command, name, does))
  verb(command, 'stop', 'end it: what is open is canceled, the coordinator still answers').action(action(stop))
}

const verb = (parent: Command, name: string, does: string): Command =>
  parent.command(name).description(does).argument('<run>', 'its id, any unique beginning of it, or "latest"')

const MOST = 200

interface ListOptions {
  readonly status?: RunStatus
  readonly limit: string
  readonly allProjects?: boolean
}

async function list(cli: Cli, { status, limit: wanted, allProjects }: ListOptions): Promise<void> {
  const limit = Number(wanted)
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw usage(`--limit must be a whole number from 1 to ${MOST}, not "${wanted}".`)
  const client = await connect(cli)
  const query = { limit, ...(status && { status }), ...(allProjects ? { project: '*' } : {}) }
  tell(cli, await client.call('GET /api/runs', { query }), ({ items, nextCursor }) => {
    table(items.map(rowOf), `No run yet. Start one with "${troupe} run <goal>".`)
    if (nextCursor) say(paint('dim', 'There are more: name a status, or a larger --limit.'))
  })
}

const rowOf = (run: Run): Record<string, string> => ({
  run: shortRun(run),
  status: run.status,
  goal: oneLine(run.title, 50),
  nodes: `${run.nodes.finished ?? 0}/${Object.values(run.nodes).reduce((sum, count) => sum + count, 0)}`,
  coordinator: `${run.agent} ${run.session}`,
  cost: price(run.costUsd, run.unpricedTokens),
  made: ago(run.createdAt, systemClock.now()),
})

async function show(cli: Cli, ref: string, node: string | undefined): Promise<void> {
  const client = await connect(cli)
  const { id } = await runNamed(client, ref)
  const board = await client.call('GET /api/runs/{id}/board', { params: { id } })
  if (node === undefined) {
    const items = cli.json ? [] : await askedIn(client, board)
    return tell(cli, board, () => sayBoard(board, items))
  }
  const params = { id, node: nodeNamed(board, node).id }
  tell(cli, await client.call('GET /api/runs/{id}/nodes/{node}', { params }), sayNode)
}

function sayBoard(board: Board, items: readonly InboxItem[]): void {
  const { run } = board
  sayTree(board, { items })
  say('')
  for (const item of items) sayItem(item, say)
  if (items.length === 0 && run.status !== 'finished' && run.reason) say(asCalled(run.reason))
  if (run.summary) say(inColumns(run.summary, process.stdout.columns))
  sayFiles(board)
  const short = shortRun(run)
  note(`\nOne node: ${troupe} runs show ${short} <node>; all that was said: ${troupe} sessions messages ${run.session}`)
}

function sayNode(node: Node): void {
  say(`${paint('bold', node.id)} ${oneLine(node.title, 60)}`)
  const facts = {
    status: [node.status, node.reason].filter(Boolean).join(': '),
    worker: node.worker ?? 'nobody yet',
    ...(node.dependsOn.length > 0 ? { after: node.dependsOn.join(', ') } : {}),
    ...(node.parentNodeId ? { below: node.parentNodeId } : {}),
    ...(node.taskId ? { task: node.taskId } : {}),
  }
  for (const [name, value] of Object.entries(facts)) say(`  ${paint('dim', name.padEnd(10))}${value}`)
  say(`\n${node.spec}`)
  if (node.summary) say(`\n${paint('dim', 'What came of it:')}\n${node.summary}`)
}

async function watch(cli: Cli, ref: string): Promise<Exit> {
  const client = await connect(cli)
  return followRun(cli, client, await runNamed(client, ref))
}

async function stop(cli: Cli, ref: string): Promise<void> {
  const client = await connect(cli)
  const { id } = await runNamed(client, ref)
  tell(cli, await client.call('POST /api/runs/{id}/stop', { params: { id } }), (run) => {
    say(`${paint('green', '✓')} ${run.id} is stopped.`)
    say(paint('dim', `Its coordinator still answers: ${troupe} chat --session ${run.session}`))
  })
}
