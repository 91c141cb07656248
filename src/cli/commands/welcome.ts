import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { clientOf, connect } from '../connect.ts'
import { defaultModel, isDemo } from '../default-model.ts'
import { type Exit, exits } from '../failure.ts'
import { latestWith } from '../latest-session.ts'
import { paint, say } from '../print.ts'
import { chat } from './chat.ts'
import { serve } from './up.ts'

const FIRST = 'assistant'

export default function define(command: Command): void {
  command.action(action(process.stdin.isTTY && process.stdout.isTTY ? welcome : serveHere))
}

async function welcome(cli: Cli): Promise<Exit> {
  const client = await connect(cli)
  const demo = await greet(cli, client)
  if (!(await latestWith(client, FIRST))) inviteToTalk(demo)
  return chat(cli, client, FIRST, {})
}

/** Where nobody can type, this process is the server until it is stopped. */
async function serveHere(cli: Cli): Promise<Exit> {
  const server = await serve(cli, { anyPort: true })
  await greet(cli, clientOf(cli, server.url, server.token))
  say(`Next, in another terminal: "${troupe}" to talk, "${troupe} --help" for everything else.`)
  await server.done
  return exits.ok
}

/** Says what answers here; true when that is the demo. */
async function greet(cli: Cli, client: Client): Promise<boolean> {
  const { name, trouble, remark = '' } = await defaultModel(cli, client)
  const fact = (what: string, value: string): void => say(`  ${paint('dim', what.padEnd(9))}${value}`)
  say(`${paint('bold', 'Troupe')}: teams of AI agents that talk to each other.\n`)
  fact('model', `${name}  ${trouble ? paint('red', `cannot be used: ${trouble}`) : paint('yellow', remark)}`)
  fact('project', cli.project)
  fact('address', client.url)
  say('')
  return isDemo(name)
}

/** Says what to type first and what comes next, in few lines. A team comes first. */
function inviteToTalk(demo: boolean): void {
  const tries = demo
    ? ['show me the team', 'write notes.md: buy milk', 'run ls -la   (you are asked first)']
    : ['have researcher find out what this project is, and writer say it in one paragraph', 'what is in this project?']
  say(`Try:  ${paint('bold', tries[0]!)}`)
  for (const more of tries.slice(1)) say(`      ${more}`)
  say('')
  say(paint('dim', `Agents of your own:  ${troupe} init`))
  if (demo) say(paint('dim', `A real model:        export ANTHROPIC_API_KEY=…, then ${troupe} down, and start again`))
  say(paint('dim', `What is missing:     ${troupe} doctor\n`))
}
