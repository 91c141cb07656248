import type { Command } from 'commander'
import type { Board, DryRun, RunFile, Worker } from '../../contract/runs.ts'
import { systemClock } from '../../lib/clock.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, usage } from '../failure.ts'
import { ago, note, paint, print, say, tell } from '../print.ts'
import { runNamed, shortRun } from '../runs/ref.ts'
import { sayTree } from '../runs/result.ts'
import { costShown } from '../runs/tree.ts'
import { table } from '../table.ts'

/** The verbs with which a person looks into a run. */
export function defineReading(verb: (name: string, does: string) => Command): void {
  verb('files', "the files in the run's folder; with a path, what is in that one")
    .argument('[path]', 'of one of them, as the list has it')
    .action(action(files))
  verb('workers', 'who works in it, and on what').action(action(workers))
  verb('graph', 'the board as it was at an event, or is now')
    .option('--at <seq>', 'the position of an event, as each line of a log in its folder has it')
    .action(action(graph))
  verb('dry-run', 'what would come of nodes that you think of; nothing is made')
    .argument('<nodes...>', 'each a name, and behind a colon what it depends on: read write:read check:write,node_…')
    .addHelpText('after', '\nExit codes: 0 it can be done, 1 a circle or a missing node forbids it.')
    .action(action(dryRun))
}

async function files(cli: Cli, ref: string, path: string | undefined): Promise<void> {
  const client = await connect(cli)
  const run = await runNamed(client, ref)
  const params = { id: run.id }
  if (path !== undefined) {
    const file = await client.call('GET /api/runs/{id}/file', { params, query: { path } })
    return tell(cli, file, ({ text }) => print(text.endsWith('\n') ? text : `${text}\n`))
  }
  tell(cli, await client.call('GET /api/runs/{id}/files', { params }), ({ items, more }) => {
    table(items.map(fileRow), 'It has no files yet.')
    if (more) note(`There are more: look into .troupe/runs/${run.id} of its project.`)
    else if (items.length > 0) note(`What is in one: ${troupe} runs files ${shortRun(run)} <path>`)
  })
}

const fileRow = ({ path, size }: RunFile): Record<string, string> => ({ path, bytes: String(size) })

async function workers(cli: Cli, ref: string): Promise<void> {
  const client = await connect(cli)
  const { id } = await runNamed(client, ref)
  const { nodes } = await client.call('GET /api/runs/{id}/board', { params: { id } })
  const titles = new Map(nodes.map((node) => [node.id, node.title]))
  tell(cli, await client.call('GET /api/runs/{id}/workers', { params: { id } }), ({ items }) =>
    table(
      items.map((worker) => workerRow(worker, titles)),
      'Nobody works in it yet.',
    ),
  )
}

const workerRow = (worker: Worker, titles: ReadonlyMap<string, string>): Record<string, string> => ({
  worker: worker.name,
  agent: worker.model === undefined ? worker.agent : `${worker.agent} (${worker.model})`,
  status: worker.status,
  'works on': titles.get(worker.nodeId ?? '') ?? '',
  cost: costShown(worker),
  joined: ago(worker.createdAt, systemClock.now()),
})

async function graph(cli: Cli, ref: string, { at }: { at?: string }): Promise<void> {
  const client = await connect(cli)
  const { id } = await runNamed(client, ref)
  const query = at === undefined ? {} : { at }
  tell(cli, await client.call('GET /api/runs/{id}/graph', { params: { id }, query }), (board) =>
    sayTree(board, at === undefined ? {} : { now: thenOf(board) }),
  )
}

/** When a board of the past was like that: what was at work then is not shown as if it still were. */
const thenOf = ({ run, nodes }: Board): number =>
  Math.max(...[run, ...nodes].map(({ updatedAt }) => Date.parse(updatedAt)))

async function dryRun(cli: Cli, ref: string, words: string[]): Promise<Exit> {
  const nodes = words.map(proposed)
  const client = await connect(cli)
  const { id } = await runNamed(client, ref)
  const found = await client.call('POST /api/runs/{id}/dry-run', { params: { id }, body: { nodes } })
  tell(cli, found, sayDryRun)
  return found.possible ? exits.ok : exits.failed
}

/** "check:write,read" depends on both. */
function proposed(word: string): { name: string; dependsOn: string[] } {
  const at = word.indexOf(':')
  const [name, after] = at === -1 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)]
  if (name.trim() === '') throw usage(`"${word}" names no node.`, 'Write the name in front of the colon: check:write')
  const dependsOn = after.split(',').map((one) => one.trim())
  return { name: name.trim(), dependsOn: dependsOn.filter(Boolean) }
}

function sayDryRun({ possible, waves, cycle, missing = [] }: DryRun): void {
  if (possible) say(`${paint('green', '✓')} It can be done. What stands in one line could run side by side:`)
  else say(`${paint('red', '✗')} It cannot be done.`)
  if (cycle) say(`  It goes in a circle: ${cycle.join(' → ')}`)
  for (const { node, dependsOn, reason } of missing) say(`  ${node} depends on ${dependsOn}. ${reason}`)
  if (possible) for (const [at, wave] of waves.entries()) say(`  ${at + 1}  ${wave.join(', ')}`)
}
