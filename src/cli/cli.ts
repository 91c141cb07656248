import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { troupe } from './called.ts'
import { type Exit, exits, Failure, usage } from './failure.ts'

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
    refuseEmpty(command)
    const exit = await run(cliOf(command.optsWithGlobals()), ...(raw.slice(0, -1) as Args))
    process.exitCode = exit ?? exits.ok
  }
}

/** An empty word is a variable that a script forgot to set, and never means anything. */
function refuseEmpty(command: Command): void {
  const options = command.optsWithGlobals()
  const given = [
    ...command.registeredArguments.map((argument, at) => ({ name: argument.name(), value: command.processedArgs[at] })),
    ...[command, command.parent, command.parent?.parent].flatMap((each) =>
      (each?.options ?? [])
        .filter(({ optional }) => !optional)
        .map((option) => ({ name: option.long ?? option.flags, value: options[option.attributeName()] })),
    ),
  ]
  const empty = given.find(({ value }) => typeof value === 'string' && value.trim() === '')
  if (empty) throw usage(`"${empty.name}" is empty.`, wayOut(empty.name.replace(/^--/, ''), pathOf(command)))
}

const lists: Readonly<Record<string, string>> = {
  to: 'agents',
  agent: 'agents',
  session: 'sessions',
  ref: 'sessions',
  id: 'inbox',
  task: 'tasks',
  run: 'runs',
  key: 'config',
  model: 'models',
}

const wayOut = (name: string, path: string): string => {
  const list = lists[name]
  return `${list ? `"${troupe} ${list}" shows what there is; ` : ''}"${troupe} ${path} --help" shows how it is used.`
}

/** The words that lead to a command, such as "sessions show". */
const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

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
    project: projectFolder(options.project),
    json: options.json ?? false,
    start: options.start ?? true,
    env,
    ...(env.TROUPE_TOKEN ? { acting: actingIn(env.TROUPE_TOKEN, env) } : {}),
  }
}

function projectFolder(given = '.'): string {
  try {
    return resolve(given)
  } catch {
    throw new Failure(exits.failed, 'The folder you are in is gone.', {
      code: 'project.not_found',
      hint: 'Go to another one with cd, or name one with --project.',
    })
  }
}

const actingIn = (token: string, env: NodeJS.ProcessEnv): Acting => ({
  token,
  ...(env.TROUPE_SOCKET ? { socket: env.TROUPE_SOCKET } : {}),
  ...(env.TROUPE_URL ? { url: env.TROUPE_URL } : {}),
})
