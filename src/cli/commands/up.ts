import type { Command } from 'commander'
import type { ServerFile } from '../../contract/api.ts'
import { giveBackAfterStart } from '../../lib/process/memory.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { exits, Failure, usage } from '../failure.ts'
import { paint, say, sayJson, tell } from '../print.ts'
import { findServer, logFile, type Reached, startInBackground } from '../server.ts'

interface UpOptions {
  host?: string
  port?: string
  model?: string
  detach?: boolean
  background?: boolean
  anyPort?: boolean
  idleExit?: string
}

export default function define(command: Command): void {
  command
    .option('--host <address>', 'address to listen on (127.0.0.1)')
    .option('--port <number>', 'port to listen on (4747); 0 takes a free one')
    .option('--model <name>', 'provider/model for agents that name none')
    .option('--detach', 'run in the background; the log is in the data folder')
    .addOption(command.createOption('--background').hideHelp())
    .addOption(command.createOption('--any-port').hideHelp())
    .addOption(command.createOption('--idle-exit <minutes>').hideHelp())
    .action(action(up))
}

async function up(cli: Cli, options: UpOptions): Promise<void> {
  if (options.detach) return detach(cli, options)
  const server = await serve(cli, options)
  if (cli.json && !options.background) sayJson({ url: server.url, token: server.token, pid: server.pid })
  else say(`${paint('green', '●')} Troupe serves at ${paint('bold', server.url)} (pid ${server.pid}); Ctrl-C stops it.`)
  await server.done
}

type Serving = Reached & { readonly done: Promise<void>; stop(): Promise<void> }

/** Runs the server in this process until it is told to stop, by a signal or over HTTP. */
export async function serve(cli: Cli, options: UpOptions): Promise<Serving> {
  const port = portOf(options.port)
  // The one place where the command line reaches into the server; everything else goes over HTTP.
  const { startServer } = await import('../../app.ts')
  const settings = {
    home: cli.home,
    project: cli.project,
    env: cli.env,
    flags: options.model ? { defaultModel: options.model } : {},
    ...(options.host ? { host: options.host } : {}),
    ...(options.idleExit ? { idleExitMinutes: Number(options.idleExit) } : {}),
  }
  const server = await startServer(port === undefined ? settings : { ...settings, port }).catch((error: unknown) => {
    if (!portIsTaken(error)) throw error
    if (options.anyPort) return startServer({ ...settings, port: 0 })
    throw new Failure(exits.failed, `Port ${error.port} is taken by another program.`, {
      code: 'cli.port_taken',
      hint: 'Choose another with --port, or --port 0 for any free one.',
    })
  })
  stopOnSignals(server)
  giveBackAfterStart()
  return server
}

function stopOnSignals(server: Serving): void {
  let asked = false
  const stop = (): void => {
    // Whoever asks twice wants it now. What was accepted is on disk, and the next start goes on from there.
    if (asked) process.exit(exits.failed)
    asked = true
    void server.stop()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  void server.done.finally(() => {
    for (const signal of signals) process.off(signal, stop)
  })
}

async function detach(cli: Cli, options: UpOptions): Promise<void> {
  const running = await findServer(cli.home)
  if (running) return announce(cli, running, 'already serves')
  const flags = [
    ...(options.port === undefined ? [] : ['--port', String(portOf(options.port))]),
    ...(options.host ? ['--host', options.host] : []),
    ...(options.model ? ['--model', options.model] : []),
  ]
  const started = await startInBackground(cli, flags)
  announce(cli, started, 'serves')
}

function announce(cli: Cli, server: Pick<ServerFile, 'url' | 'pid'> & { token?: string }, how: string): void {
  const { url, pid, token } = server
  tell(cli, token ? { url, token, pid } : { url, pid }, () => {
    say(`${paint('green', '●')} Troupe ${how} at ${paint('bold', url)} (pid ${pid}).`)
    say(paint('dim', `Log: ${logFile(cli.home)}. Stop it with "${troupe} down".`))
  })
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw usage(`--port must be a number from 0 to 65535, not "${text}".`)
  return port
}

const portIsTaken = (error: unknown): error is Error & { port: number } =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error
