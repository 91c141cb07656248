import type { Command } from 'commander'
import { chat } from './chat.ts'
import { action, type Cli } from './cli.ts'
import { all, type Client, clientOf } from './client.ts'
import { type Exit, exits, failureOf } from './failure.ts'
import type { Model } from './models.ts'
import { paint, say } from './print.ts'
import { reachServer } from './server.ts'
import { type Serving, serve } from './up.ts'

export function define(command: Command): void {
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

/** Somebody may serve this folder already: then we are its guest. */
async function serveOrReach(cli: Cli): Promise<Pick<Serving, 'url' | 'token'> & Partial<Serving>> {
  try {
    return await serve(cli, { anyPort: true })
  } catch (thrown) {
    if (failureOf(thrown).code !== 'store.locked') throw thrown
    return reachServer({ ...cli, start: false })
  }
}

async function greet(cli: Cli, client: Client): Promise<void> {
  const model = (await all<Model>(client, '/api/models')).find(({ isDefault }) => isDefault)
  const demo = model?.provider === 'demo'
  say(`${paint('bold', 'Troupe')}: teams of AI agents that talk to each other.\n`)
  say(`  ${paint('dim', 'address')}  ${client.url}`)
  say(`  ${paint('dim', 'project')}  ${cli.project}`)
  say(
    `  ${paint('dim', 'model')}    ${model?.name ?? 'none'}${demo ? paint('yellow', '  (scripted demo: it plays, it does not think)') : ''}`,
  )
  if (demo) say(paint('dim', '           For a real one set a key, such as ANTHROPIC_API_KEY, and start again.'))
  say('')
  say('Next, here or in another terminal (node bin/troupe.mjs, or "troupe" once installed):')
  say('  troupe chat             talk to an agent       troupe inbox    what waits for you')
  say('  troupe agents           who there is           troupe doctor   what is missing')
  say('  troupe init             agents of your own     troupe --help   everything else\n')
}
