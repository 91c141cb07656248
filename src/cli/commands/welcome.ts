import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { clientOf, connect } from '../connect.ts'
import { defaultModel, isDemo } from '../default-model.ts'
import { type Exit, exits } from '../failure.ts'
import { latestWith } from '../latest-session.ts'
import { pageLink } from '../page-link.ts'
import { inColumns, paint, say } from '../print.ts'
import { chat } from './chat.ts'
import { serve } from './up.ts'

const FIRST = 'assistant'
/** Where the values of each list begin. */
const FACT = 11
const NEXT = 21

export default function define(command: Command): void {
  command.action(action(process.stdin.isTTY && process.stdout.isTTY ? welcome : serveHere))
}

async function welcome(cli: Cli): Promise<Exit> {
  const client = await connect(cli)
  const demo = await greet(cli, client, await pageLink(client))
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
async function greet(cli: Cli, client: Client, page?: string): Promise<boolean> {
  const { name, trouble, remark = '' } = await defaultModel(cli, client)
  const fact = (what: string, value: string): void => say(`  ${paint('dim', what.padEnd(FACT - 2))}${value}`)
  const about = behind(' '.repeat(FACT), `${name}  `, trouble ? `cannot be used: ${trouble}` : remark)
  say(`${paint('bold', 'Troupe')}: teams of AI agents that talk to each other.\n`)
  fact('model', `${name}  ${paint(trouble ? 'red' : 'yellow', about)}`)
  fact('project', cli.project)
  fact('address', client.url)
  if (page) fact('page', page)
  say('')
  return isDemo(name)
}

/** Says what to type first and what comes next, in few lines. A team comes first. */
function inviteToTalk(demo: boolean): void {
  const tries = demo
    ? [
        '/run find out how to keep notes',
        'show me the team',
        'write notes.md: buy milk',
        'run ls -la   (you are asked first)',
      ]
    : [
        '/run find out what this project is, and write one page about it',
        'have researcher find out what this project is, and writer say it in one paragraph',
        'what is in this project?',
      ]
  const next = [
    ['Agents of your own:', `${troupe} init`],
    ...(demo ? [['A real model:', `export ANTHROPIC_API_KEY=…, then ${troupe} down, and start again`]] : []),
    ['What is missing:', `${troupe} doctor`],
  ]
  tries.forEach((words, at) => {
    say(at === 0 ? `Try:  ${paint('bold', behind('      ', '', words))}` : `      ${behind('      ', '', words)}`)
  })
  say('')
  for (const [what = '', how = ''] of next)
    say(paint('dim', `${what.padEnd(NEXT)}${behind(' '.repeat(NEXT), '', how)}`))
  say('')
}

/** A sentence that begins behind a margin and some words; where the terminal ends it goes on below, behind the margin. */
const behind = (margin: string, words: string, text: string): string =>
  inColumns(`${margin}${words}${text}`, process.stdout.columns, margin).slice(margin.length + words.length)
