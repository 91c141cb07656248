import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { action, type Cli } from '../cli.ts'
import { clientOf } from '../connect.ts'
import { type Exit, exits, failureOf } from '../failure.ts'
import { paint, say } from '../print.ts'
import { reachServer } from '../server.ts'
import { chat } from './chat.ts'
import { type Serving, serve } from './up.ts'

export default function define(command: Command): void {
  command.action(action(welcome))
}

async function welcome(cli: Cli): Promise<Exit> {
  const server = await serveOrReach(cli)
  const client = clientOf(cli, server.url, server.token)
  await greet(cli, client)
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    await server.done
    return exits.ok
  }
  const exit = await chat(cli, client, 'assistant', {}, server.done)
  if (server.stop) {
    await server.stop()
    say(
      paint(
        'dim',
        'The server has stopped; every conversation is on disk. Keep one running with "troupe up --detach".',
      ),
    )
  }
  return exit
}

/** Uses the server that serves this folder already, or starts one. */
async function serveOrReach(cli: Cli): Promise<Pick<Serving, 'url' | 'token'> & Partial<Serving>> {
  try {
    return await serve(cli, { anyPort: true })
  } catch (thrown) {
    if (failureOf(thrown).code !== 'store.locked') throw thrown
    return reachServer({ ...cli, start: false })
  }
}

async function greet(cli: Cli, client: Client): Promise<void> {
  const model = (await client.all('GET /api/models')).find(({ isDefault }) => isDefault)
  const demo = model?.provider === 'demo'
  const fact = (name: string, value: string): void => say(`  ${paint('dim', name.padEnd(9))}${value}`)
  say(`${paint('bold', 'Troupe')}: teams of AI agents that talk to each other.\n`)
  fact(
    'model',
    `${model?.name ?? 'none'}${demo ? paint('yellow', '  scripted demo: it plays, it does not think') : ''}`,
  )
  fact('project', cli.project)
  fact('address', client.url)
  say('')
  if (process.stdin.isTTY && process.stdout.isTTY) inviteToTalk(cli, demo)
  else sayCommands()
}

/** Says what to type first and what comes next, in few lines. */
function inviteToTalk(cli: Cli, demo: boolean): void {
  const troupe = cli.env.npm_lifecycle_event ? 'node bin/troupe.mjs' : 'troupe'
  say(`Try:  ${paint('bold', demo ? 'list the files' : 'what is in this project?')}`)
  if (demo) {
    say('      write notes.md: buy milk')
    say('      run ls -la   (you are asked first)')
  }
  say('')
  say(paint('dim', `An agent of your own:  ${troupe} init`))
  if (demo) say(paint('dim', 'A real model:          export ANTHROPIC_API_KEY=…, then start again'))
  say(paint('dim', `What is missing:       ${troupe} doctor\n`))
}

function sayCommands(): void {
  say('Next, in another terminal (node bin/troupe.mjs, or "troupe" once installed):')
  say('  troupe chat      talk to an agent       troupe inbox    what waits for you')
  say('  troupe agents    who there is           troupe doctor   what is missing')
  say('  troupe init      agents of your own     troupe --help   everything else\n')
}
