import type { Board, NodeStatus, Run } from '../../contract/runs.ts'
import { asCalled, troupe } from '../called.ts'
import { duration } from '../chat/duration.ts'
import type { Cli } from '../cli.ts'
import { type Exit, exits, Failure } from '../failure.ts'
import { note, price, say, sayJson } from '../print.ts'
import { shortRun } from './ref.ts'

/** How a run came out: what the coordinator said at the end is the result, all else stands beside it. */
export function sayResult(cli: Cli, { run }: Board): Exit {
  if (cli.json) sayJson(run)
  if (run.status !== 'finished') {
    throw new Failure(exits.failed, asCalled(run.reason ?? `The run is ${run.status}.`), {
      code: `run.${run.status}`,
      hint: `What was done: ${troupe} runs show ${shortRun(run)}`,
    })
  }
  if (cli.json) return exits.ok
  say(run.summary ?? '')
  note(`\n${countsOf(run)}`)
  note(`Node by node: ${troupe} runs show ${shortRun(run)}`)
  return exits.ok
}

/** "4 nodes finished, 1 failed · 3 workers · 12.3 s · $0.0031" */
export function countsOf(run: Run): string {
  const facts = [
    nodesInWords(run),
    `${run.workers} worker${run.workers === 1 ? '' : 's'}`,
    ...(run.endedAt ? [duration(Date.parse(run.endedAt) - Date.parse(run.createdAt))] : []),
    price(run.costUsd, 0),
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
