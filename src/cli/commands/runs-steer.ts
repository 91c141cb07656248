import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Mail } from '../../contract/mail.ts'
import type { Board } from '../../contract/runs.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { usage } from '../failure.ts'
import { ago, inColumns, oneLine, paint, say, tell } from '../print.ts'
import { nodeNamed, runNamed, shortRun } from '../runs/ref.ts'
import { ALL_PAUSED, isPaused, noteHint } from '../standstill.ts'
import { readText } from './send.ts'

/** The verbs with which a person steers a run: as a whole, by words, and node by node. */
export function defineSteering(verb: (name: string, does: string) => Command): void {
  verb('pause', 'start nothing more; members stop at their next safe point').action(action(pause))
  verb('resume', 'go on where it was paused').action(action(resume))
  verb('archive', 'stop it if it is open, and take it off the list').action(action(archive))
  verb('messages', 'what was written in the run, the newest last')
    .option('--limit <number>', 'how many, 200 at most', '50')
    .action(action(messages))
  verb('send', 'write to the coordinator, to a worker, or to everyone')
    .argument('[text...]', 'the message; read from standard input when left out or "-"')
    .option('--to <member>', 'coordinator, a worker, or "*" for everyone', 'coordinator')
    .option('--interrupt', 'they stop and read this first')
    .action(action(write))
  verb('edit', 'give a node that has not begun another spec or worker')
    .argument('<node>', NODE)
    .argument('[spec...]', 'the new spec; "-" reads it from standard input')
    .option('--worker <name>', 'who is to do it; "any" for whoever is idle')
    .action(action(edit))
  verb('cancel', 'call a node off, with all below it').argument('<node>', NODE).action(action(cancel))
  verb('retry', 'have a node done once more that failed or was canceled').argument('<node>', NODE).action(action(retry))
}

const NODE = 'any unique beginning of its id or of its title'

async function pause(cli: Cli, ref: string): Promise<void> {
  const client = await connect(cli)
  const params = { id: (await runNamed(client, ref)).id }
  tell(cli, await client.call('POST /api/runs/{id}/pause', { params }), (run) => {
    say(`${paint('green', '✓')} ${run.id} is paused.`)
    say(paint('dim', `Go on: ${troupe} runs resume ${shortRun(run)}`))
  })
}

async function resume(cli: Cli, ref: string): Promise<void> {
  const client = await connect(cli)
  const params = { id: (await runNamed(client, ref)).id }
  const resumed = await client.call('POST /api/runs/{id}/resume', { params })
  const still = await isPaused(client)
  tell(cli, resumed, (run) =>
    say(`${paint('green', '✓')} ${run.id} ${still ? `is no longer paused by itself, but ${ALL_PAUSED}` : 'goes on.'}`),
  )
}

async function archive(cli: Cli, ref: string): Promise<void> {
  const client = await connect(cli)
  const { id } = await runNamed(client, ref)
  tell(cli, await client.call('DELETE /api/runs/{id}', { params: { id } }), () =>
    say(`${paint('green', '✓')} ${id} is archived.`),
  )
}

const MOST = 200

async function messages(cli: Cli, ref: string, { limit: wanted }: { limit: string }): Promise<void> {
  const limit = Number(wanted)
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw usage(`--limit must be a whole number from 1 to ${MOST}, not "${wanted}".`)
  const client = await connect(cli)
  const { id } = await runNamed(client, ref)
  const { workers, run } = await client.call('GET /api/runs/{id}/board', { params: { id } })
  const found = await client.call('GET /api/runs/{id}/messages', { params: { id }, query: { limit } })
  tell(cli, found, ({ items }) => {
    if (items.length === 0) say(paint('dim', 'Nobody has written yet.'))
    for (const mail of items.toReversed()) sayMail(mail, { workers, run })
  })
}

/** "Ada → Cleo, 3m ago", and what was said. */
function sayMail(
  { from, sessionId, content, createdAt }: Mail,
  { workers, run }: Pick<Board, 'workers' | 'run'>,
): void {
  const nameOf = (id: string | undefined): string | undefined =>
    id === run.sessionId ? 'coordinator' : workers.find((worker) => worker.sessionId === id)?.name
  const sender = nameOf(from.sessionId) ?? from.agent ?? from.kind
  const when = ago(createdAt, systemClock.now())
  say(paint('dim', `${sender} → ${nameOf(sessionId) ?? sessionId}, ${when}`))
  say(`${inColumns(oneLine(content, 300), process.stdout.columns)}\n`)
}

interface WriteOptions {
  readonly to: string
  readonly interrupt?: boolean
}

async function write(cli: Cli, ref: string, words: string[], { to, interrupt }: WriteOptions): Promise<void> {
  const content = await readText(words)
  const client = await connect(cli)
  const { id } = await runNamed(client, ref)
  const body = { to, content, clientId: newId('cli'), ...(interrupt ? { interrupt } : {}) }
  tell(cli, await client.call('POST /api/runs/{id}/messages', { params: { id }, body }), ({ receipts }) => {
    say(`${paint('green', '✓')} accepted, for ${receipts.length === 1 ? to : `${receipts.length} members`}.`)
    noteHint(cli, receipts[0] ?? {})
  })
}

async function edit(
  cli: Cli,
  ref: string,
  node: string,
  words: string[],
  { worker }: { worker?: string },
): Promise<void> {
  if (words.length === 0 && worker === undefined)
    throw usage('There is nothing to change.', 'Say the new spec behind the node, or name a worker with --worker.')
  const spec = words.length === 0 ? undefined : await readText(words)
  const client = await connect(cli)
  const params = await placeOf(client, ref, node)
  const body = { ...(spec && { spec }), ...(worker && { worker: worker === 'any' ? null : worker }) }
  tell(cli, await client.call('PATCH /api/runs/{id}/nodes/{node}', { params, body }), ({ title, worker: given }) =>
    say(`${paint('green', '✓')} ${oneLine(title, 60)}: changed; ${given ?? 'whoever is idle'} does it.`),
  )
}

async function cancel(cli: Cli, ref: string, node: string): Promise<void> {
  const client = await connect(cli)
  const params = await placeOf(client, ref, node)
  tell(cli, await client.call('POST /api/runs/{id}/nodes/{node}/cancel', { params }), ({ title, status }) =>
    say(`${paint('green', '✓')} ${oneLine(title, 60)}: ${status === 'canceled' ? 'canceled' : 'told to stop'}.`),
  )
}

async function retry(cli: Cli, ref: string, node: string): Promise<void> {
  const client = await connect(cli)
  const params = await placeOf(client, ref, node)
  tell(cli, await client.call('POST /api/runs/{id}/nodes/{node}/retry', { params }), ({ title }) =>
    say(`${paint('green', '✓')} ${oneLine(title, 60)}: it is done once more.`),
  )
}

async function placeOf(client: Client, ref: string, node: string): Promise<{ id: string; node: string }> {
  const { id } = await runNamed(client, ref)
  const board = await client.call('GET /api/runs/{id}/board', { params: { id } })
  return { id, node: nodeNamed(board, node).id }
}
