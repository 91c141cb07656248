import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Run } from '../../contract/runs.ts'
import { newId } from '../../lib/ids.ts'
import { type AloneOptions, aloneOf, takesAlone } from '../alone.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, usage } from '../failure.ts'
import { paint, say, tell } from '../print.ts'
import { atTerminal } from '../questions.ts'
import { openRecorder } from '../recorder.ts'
import { shortRun } from '../runs/ref.ts'
import { noteHint } from '../standstill.ts'
import { settleDailyLimit } from './daily-limit.ts'
import { readText } from './send.ts'
import { settleTrust } from './trust.ts'

interface RunOptions extends AloneOptions {
  readonly agent?: string
  readonly model?: string
  readonly budget?: string
  readonly infinite?: boolean
  readonly detach?: boolean
  readonly record?: string
}

const COORDINATOR = 'coordinator'

export default function define(command: Command): void {
  command
    .argument('[goal...]', 'what is to be achieved; read from standard input when left out or "-"')
    .option('--agent <name>', `who coordinates (${COORDINATOR})`)
    .option('--model <model>', "another model than the coordinator's")
    .option('--budget <usd>', 'US dollars, at most; then it pauses and asks')
    .option('--infinite', 'again and again, until it is stopped')
    .option('-d, --detach', 'only start it')
    .option('--record <file>', 'keep the coordinator and all it reached in a file that "replay" plays back')
    .addHelpText(
      'after',
      '\nExit codes: 0 finished, 1 failed or stopped, 4 it waits for a person and nobody is at a terminal.',
    )
    .action(action(run))
  takesAlone(command, 'all who work for it')
}

async function run(cli: Cli, words: string[], options: RunOptions): Promise<Exit> {
  if (options.detach && options.record !== undefined)
    throw usage('There is nothing to record before the run has ended.', 'Leave out --detach.')
  const body = await orderOf(words, options)
  const client = await connect(cli)
  await settleTrust(cli, client)
  await settleDailyLimit(cli, client, options.agent ?? COORDINATOR)
  const started = await client.call('POST /api/runs', { body })
  noteHint(cli, started)
  if (options.detach) return announce(cli, started)
  const recorder = options.record === undefined ? undefined : openRecorder(cli, client, resolve(options.record))
  recorder?.enter(started.sessionId)
  try {
    return await followRun(cli, client, started)
  } finally {
    await recorder?.close()
  }
}

/** Draws where a person can see it; elsewhere each thing that happens is a line. */
export async function followRun(cli: Cli, client: Client, started: Run): Promise<Exit> {
  if (!cli.json && atTerminal() && cli.env.TERM !== 'dumb') {
    const { followOnTerminal } = await import('../runs/live.ts')
    return followOnTerminal(cli, client, started)
  }
  const { followInLines } = await import('../runs/plain.ts')
  return followInLines(cli, client, started)
}

async function orderOf(words: string[], options: RunOptions) {
  const { agent = COORDINATOR, model, budget, infinite } = options
  return {
    goal: await readText(words, ['There is no goal.', 'Say what is to be achieved, or pipe it in.']),
    agent,
    clientId: newId('cli'),
    ...(model && { model }),
    ...(budget === undefined ? {} : { limits: { maxCostUsd: dollars(budget) } }),
    mode: infinite ? ('infinite' as const) : ('finite' as const),
    ...aloneOf(options),
  }
}

function dollars(text: string): number {
  const usd = Number(text.replace(/^\$/, ''))
  if (!(usd > 0)) throw usage(`--budget must be an amount in US dollars above 0, such as 2.50, not "${text}".`)
  return usd
}

function announce(cli: Cli, started: Run): Exit {
  tell(cli, started, () => {
    say(`${paint('green', '✓')} ${started.id} has begun.`)
    say(paint('dim', `Follow it: ${troupe} runs watch ${shortRun(started)}`))
  })
  return exits.ok
}
