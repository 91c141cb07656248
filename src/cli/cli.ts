import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Exit, exits } from './failure.ts'

/** What every command is told besides its own arguments. */
export interface Cli {
  /** The data folder. */
  readonly home: string
  /** The folder the command is about; the server finds the project it belongs to. */
  readonly project: string
  readonly json: boolean
  /** Whether the command may start a server when none answers. */
  readonly start: boolean
  readonly env: NodeJS.ProcessEnv
  /** Set when the command acts for a session: it then calls only that session's server, with this token. */
  readonly acting?: Acting
}

export interface Acting {
  readonly token: string
  /** A Unix socket. It is used before the address, which a program in a sandbox may not reach. */
  readonly socket?: string
  readonly url?: string
}

/** Wraps a command's function: commander's arguments become ours, a returned number becomes the exit code. */
export function action<Args extends unknown[]>(
  run: (cli: Cli, ...args: Args) => Promise<Exit | undefined> | Promise<void>,
): (...raw: unknown[]) => Promise<void> {
  return async (...raw) => {
    const command = raw.at(-1) as Command
    const exit = await run(cliOf(command.optsWithGlobals()), ...(raw.slice(0, -1) as Args))
    process.exitCode = exit ?? exits.ok
  }
}

interface GlobalOptions {
  home?: string
  project?: string
  json?: boolean
  start?: boolean
}

function cliOf(options: GlobalOptions): Cli {
  const env = process.env
  return {
    home: resolve(options.home ?? (env.TROUPE_HOME || join(homedir(), '.troupe'))),
    project: resolve(options.project ?? '.'),
    json: options.json ?? false,
    start: options.start ?? true,
    env,
    ...(env.TROUPE_TOKEN ? { acting: actingIn(env.TROUPE_TOKEN, env) } : {}),
  }
}

const actingIn = (token: string, env: NodeJS.ProcessEnv): Acting => ({
  token,
  ...(env.TROUPE_SOCKET ? { socket: env.TROUPE_SOCKET } : {}),
  ...(env.TROUPE_URL ? { url: env.TROUPE_URL } : {}),
})
