import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { exits, failureOf, usage } from './failure.ts'
import { complain, complainInJson } from './print.ts'

/** A command's file is loaded when it is called, so that `troupe --help` costs nothing. */
const commands: Record<string, Entry> = {
  welcome: {
    does: 'start the server here, look around, talk to an agent',
    load: () => import('./commands/welcome.ts'),
  },
  up: { does: 'start the server', load: () => import('./commands/up.ts') },
  down: { does: 'stop the server', load: () => import('./commands/down.ts') },
  status: { does: 'what the server is, holds and can use', load: () => import('./commands/status.ts') },
  logs: { does: "the server's log", load: () => import('./commands/logs.ts') },
  init: { does: 'make .troupe/ in this project, with a starter agent', load: () => import('./commands/init.ts') },
  doctor: { does: 'check everything Troupe needs and say what to do', load: () => import('./commands/doctor.ts') },
  chat: { does: 'talk to an agent', load: () => import('./commands/chat.ts') },
  send: { does: 'send one message, and wait for the reply if asked to', load: () => import('./commands/send.ts') },
  ask: { does: 'ask an agent, and print its answer', load: () => import('./commands/ask.ts') },
  listen: { does: 'wait for the next question, and print it as JSON', load: () => import('./commands/listen.ts') },
  answer: { does: 'answer a question, by the id that "listen" printed', load: () => import('./commands/answer.ts') },
  agents: { does: 'the agents of this project', load: () => import('./commands/agents.ts') },
  sessions: { does: 'conversations: list, read, change', load: () => import('./commands/sessions.ts') },
  inbox: { does: 'what waits for you: questions and approvals', load: () => import('./commands/inbox.ts') },
  why: { does: 'what something does or waits for, and who can unblock it', load: () => import('./commands/why.ts') },
  models: { does: 'the models that can be used', load: () => import('./commands/models.ts') },
  accounts: {
    does: 'the keys of each provider, and whether they can be used',
    load: () => import('./commands/accounts.ts'),
  },
  cost: { does: 'what was spent, by agent, model or day', load: () => import('./commands/cost.ts') },
  tools: { does: 'the tools agents may be given', load: () => import('./commands/tools.ts') },
  config: {
    does: 'settings: where each value comes from, and changing them',
    load: () => import('./commands/config.ts'),
  },
  permissions: {
    does: 'what agents may do: list, check, add, remove rules',
    load: () => import('./commands/permissions.ts'),
  },
  trust: { does: "let this project's own files act", load: () => import('./commands/trust.ts') },
  devices: { does: 'browsers and phones that hold a token: list, revoke', load: () => import('./commands/devices.ts') },
  backup: { does: 'write a copy of the data while the server runs', load: () => import('./commands/backup.ts') },
  completion: {
    does: 'complete commands, agents and sessions in your shell',
    load: () => import('./commands/completion.ts'),
  },
  __complete: { does: 'answer a shell', load: () => import('./completion/answer.ts'), hidden: true },
}

interface Entry {
  readonly does: string
  readonly load: () => Promise<{ default(command: Command, load: typeof fillIn): void }>
  readonly hidden?: boolean
}

async function fillIn(command: Command): Promise<void> {
  const { default: define } = await commands[command.name()]!.load()
  define(command, fillIn)
  command.hook('preSubcommand', refuseUnknown)
}

/** Commander hands an unknown word to the default subcommand, which complains about something else. */
function refuseUnknown(command: Command, chosen: Command): void {
  const word = command.args[0]
  if (!word || word.startsWith('-') || chosen.name() === word || chosen.aliases().includes(word)) return
  if (chosen.registeredArguments.length > 0) return
  const names = command.commands.map((known) => known.name()).join(', ')
  throw usage(`unknown subcommand '${word}' of '${command.name()}'`, `There is: ${names}.`)
}

export async function main(argv: readonly string[]): Promise<void> {
  endQuietlyWithTheReader()
  const program = createProgram()
  try {
    // "help send" becomes "send --help", because only the command, once loaded, knows its options.
    const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv
    await program.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' })
  } catch (thrown) {
    process.exitCode = report(thrown, program.opts<{ json?: boolean }>().json ?? false)
  }
}

/** In "troupe status | head -3" the reader stops early, which is no failure. */
function endQuietlyWithTheReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      process.exit(exits.ok)
    })
  }
}

function createProgram(): Command {
  const program = new Command('troupe')
    .description('Teams of AI agents that talk to each other.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'say how it is used')
    .helpCommand(false)
    .option('--json', 'print JSON, for scripts')
    .option('--home <dir>', 'data folder (else TROUPE_HOME, else ~/.troupe)')
    .option('--project <dir>', 'project folder (else the current one)')
    .option('--no-start', 'do not start a server when none runs')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} })
    .showSuggestionAfterError()
    .exitOverride()
    .hook('preSubcommand', (_program, command) => fillIn(command))
    .addHelpText(
      'after',
      '\nExit codes: 0 ok, 1 failed, 2 wrong usage, 3 no server, 4 a person has to decide something.',
    )
  for (const [name, { does, hidden = false }] of Object.entries(commands)) {
    program
      .command(name, { hidden })
      .description(does)
      .helpOption('-h, --help', 'say how it is used')
      .helpCommand(false)
  }
  return program
}

function report(thrown: unknown, json: boolean): number {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return exits.ok
  const wrongUsage = thrown instanceof CommanderError
  const failure = failureOf(thrown)
  const message = failure.message.replace(/^error: /, '')
  const code = wrongUsage ? 'cli.usage' : failure.code
  const hint = failure.hint ?? (wrongUsage ? 'Add --help to see how it is used.' : undefined)
  if (json) complainInJson({ code, message, ...(hint ? { hint } : {}) })
  else complain(message, hint)
  return wrongUsage ? exits.usage : failure.exit
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
