import type { InboxItem } from '../../contract/inbox.ts'
import type { Board, NodeStatus, Run } from '../../contract/runs.ts'
import { systemClock } from '../../lib/clock.ts'
import { asCalled, troupe } from '../called.ts'
import { duration } from '../chat/duration.ts'
import type { Cli } from '../cli.ts'
import { type Exit, exits, Failure } from '../failure.ts'
import { ago, inColumns, note, oneLine, paint, price, say, sayJson } from '../print.ts'
import { shortRun } from './ref.ts'
import { treeLines } from './tree.ts'

/** How a run came out: what the coordinator said at the end is the result, all else stands beside it. */
export function sayResult(cli: Cli, board: Board): Exit {
  const { run } = board
  if (cli.json) sayJson({ ...run, files: filesIn(board) })
  if (run.status !== 'finished') {
    throw new Failure(exits.failed, asCalled(run.reason ?? `The run is ${run.status}.`), {
      code: `run.${run.status}`,
      hint: `What was done: ${troupe} runs show ${shortRun(run)}`,
    })
  }
  if (cli.json) return exits.ok
  say(inColumns(run.summary ?? '', process.stdout.columns))
  sayFiles(board)
  note(`\n${countsOf(run)}`)
  note(`Node by node: ${troupe} runs show ${shortRun(run)}`)
  return exits.ok
}

const WIDTH = 120

/** A whole board, as it stands at one moment. */
export function sayTree(board: Board, { items = [], now = systemClock.now() }: Moment = {}): void {
  const { run } = board
  say(`${paint('bold', run.id)} ${oneLine(run.title, 60)}`)
  say(paint('dim', `${statusOf(run)} · ${countsOf(run)} · ${ago(run.createdAt, systemClock.now())}`))
  say('')
  const view = { board, doing: () => undefined, asking: askingIn(items), now, spinner: '▸', paint }
  for (const line of treeLines(view, process.stdout.columns ?? WIDTH, Number.POSITIVE_INFINITY)) say(line)
}

/** An infinite run between two cycles works on nothing. */
const statusOf = ({ status, cycle, nextCycleAt }: Run): string =>
  nextCycleAt === undefined
    ? status
    : `${status}, cycle ${cycle} in ${duration(Date.parse(nextCycleAt) - systemClock.now())}`

interface Moment {
  /** What its members ask. */
  readonly items?: readonly InboxItem[]
  readonly now?: number | undefined
}

/** The sessions that wait for the person. */
export const askingIn = (items: readonly InboxItem[]): ReadonlySet<string> =>
  new Set(items.flatMap(({ waits }) => waits.map(({ sessionId }) => sessionId)))

const SHOWN = 40

/** What the nodes handed over, with the newest last: what brings all together stands at the end. */
export function sayFiles(board: Board): void {
  const files = filesIn(board)
  if (files.length === 0) return
  say(paint('dim', `\nFiles, below ${folderOf(board.run)}:`))
  for (const path of files.slice(-SHOWN)) say(`  ${path}`)
  if (files.length > SHOWN) say(paint('dim', `  and ${files.length - SHOWN} more before these`))
}

const folderOf = ({ id }: Run): string => `.troupe/runs/${id}`

const filesIn = ({ nodes }: Board): string[] =>
  nodes.flatMap(({ id, published = [] }) => published.map(({ path }) => `nodes/${id}/published/${path}`))

/** "4 nodes finished, 1 failed · 3 workers · 12.3 s · $0.0031" */
function countsOf(run: Run): string {
  const workers = Object.values(run.workers).reduce((sum, count) => sum + count, 0)
  const facts = [
    nodesInWords(run),
    `${workers} worker${workers === 1 ? '' : 's'}`,
    ...(run.endedAt ? [duration(Date.parse(run.endedAt) - Date.parse(run.createdAt))] : []),
    price(run.costUsd, run.unpricedTokens),
  ]
  return facts.join(' · ')
}

function nodesInWords({ nodes }: Run): string {
  const counts = Object.entries(nodes) as [NodeStatus, number][]
  if (counts.length === 0) return 'no nodes'
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  return `${all} node${all === 1 ? '' : 's'}: ${counts.map(([status, count]) => `${count} ${status}`).join(', ')}`
}

/** Whoever leaves a run is told how to come back. */
export const wayBack = (run: Run): string => `Come back: ${troupe} runs watch ${shortRun(run)}`
