import type { Command } from 'commander'
import type { Node } from '../../contract/runs.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { usage } from '../failure.ts'
import { paint, say, tell } from '../print.ts'
import { nodeNamed, runNamed } from '../runs/ref.ts'

/** What a person does to one node of a run. */
export function defineNodes(command: Command): void {
  verb(command, 'cancel', 'call a node off, with all below it').action(action(cancel))
  verb(command, 'retry', 'have a node done once more that failed or was canceled').action(action(retry))
  verb(command, 'edit', 'change a node that has not begun')
    .option('--spec <text>', 'what is to be done instead')
    .option('--worker <name>', 'who is to do it; "anybody" for whoever is idle')
    .action(action(edit))
}

const verb = (parent: Command, name: string, does: string): Command =>
  parent
    .command(name)
    .description(does)
    .argument('<run>', 'its id, any unique beginning of it, or "latest"')
    .argument('<node>', 'its id, or any unique beginning of it')

async function cancel(cli: Cli, ref: string, node: string): Promise<void> {
  const { client, params } = await chosen(cli, ref, node)
  tell(cli, await client.call('POST /api/runs/{id}/nodes/{node}/cancel', { params }), sayNow)
}

async function retry(cli: Cli, ref: string, node: string): Promise<void> {
  const { client, params } = await chosen(cli, ref, node)
  tell(cli, await client.call('POST /api/runs/{id}/nodes/{node}/retry', { params }), sayNow)
}

async function edit(cli: Cli, ref: string, node: string, given: { spec?: string; worker?: string }): Promise<void> {
  if (given.spec === undefined && given.worker === undefined) throw usage('Say what changes: --spec or --worker.')
  const { client, params } = await chosen(cli, ref, node)
  const worker = given.worker === 'anybody' ? null : given.worker
  const body = { ...(given.spec !== undefined && { spec: given.spec }), ...(worker !== undefined && { worker }) }
  tell(cli, await client.call('PATCH /api/runs/{id}/nodes/{node}', { params, body }), sayNow)
}

async function chosen(cli: Cli, ref: string, node: string) {
  const client = await connect(cli)
  const { id } = await runNamed(client, ref)
  const board = await client.call('GET /api/runs/{id}/board', { params: { id } })
  return { client, params: { id, node: nodeNamed(board, node).id } }
}

const sayNow = ({ title, status, worker }: Node): void =>
  say(`${paint('green', '✓')} "${title}" is ${status}${worker === undefined ? '' : ` (${worker})`}.`)
