import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { closest } from '../lib/closest.ts'
import { troupe } from './called.ts'
import { exits, type Failure, failureOf, usage } from './failure.ts'
import { complain, complainInJson } from './print.ts'

/** The commands, by what one wants to do. A command's file is loaded when it is called, so that the help costs nothing. */
const groups: Record<string, Record<string, Entry>> = {
  'Talk to agents:': {
    welcome: {
      does: 'look around and talk; "troupe" alone does the same',
      load: () => import('./commands/welcome.ts'),
    },
    chat: { does: 'talk to an agent', load: () => import('./commands/chat.ts') },
    ask: { does: 'ask an agent, and print its answer', load: () => import('./commands/ask.ts') },
    run: { does: 'give a goal to a team, and follow it', load: () => import('./commands/run.ts') },
    send: { does: 'send one message, and wait for the reply if asked to', load: () => import('./commands/send.ts') },
  },
  'See what they do:': {
    open: { does: 'the page in your browser: see the team, talk to anyone', load: () => import('./commands/open.ts') },
    inbox: { does: 'what waits for you: questions and approvals', load: () => import('./commands/inbox.ts') },
    away: { does: 'you are not there: questions follow what you set', load: () => import('./commands/away.ts') },
    available: { does: 'you are back', load: () => import('./commands/available.ts') },
    pause: { does: 'pause a session, or everything with --all', load: () => import('./commands/pause.ts') },
    resume: { does: 'let it go on', load: () => import('./commands/resume.ts') },
    sessions: { does: 'conversations: list, read, change', load: () => import('./commands/sessions.ts') },
    triggers: {
      does: 'what starts by itself later: list, create, pause, fire',
      load: () => import('./commands/triggers.ts'),
    },
    daemon: {
      does: 'agents that work by themselves: start, stop, list',
      load: () => import('./commands/daemon.ts'),
    },
    tasks: {
      does: 'work that agents were given: list, give, follow, call off',
      load: () => import('./commands/tasks.ts'),
    },
    runs: { does: 'goals in work: list, show, follow, steer, stop', load: () => import('./commands/runs.ts') },
    why: { does: 'what something does or waits for, and who can unblock it', load: () => import('./commands/why.ts') },
    top: { does: 'all that runs or waits, live', load: () => import('./commands/top.ts') },
    cost: { does: 'what was spent, by agent, model, day or run', load: () => import('./commands/cost.ts') },
  },
  'Make a team:': {
    init: {
      does: 'make .troupe/ in this project, with agents to start from',
      load: () => import('./commands/init.ts'),
    },
    agents: { does: 'the agents of this project', load: () => import('./commands/agents.ts') },
    memory: {
      does: 'what agents remember: list, search, write, edit, tidy',
      load: () => import('./commands/memory.ts'),
    },
    models: { does: 'the models that can be used', load: () => import('./commands/models.ts') },
    accounts: {
      does: 'the keys of each provider, and whether they can be used',
      load: () => import('./commands/accounts.ts'),
    },
    hooks: { does: 'commands at moments of sessions', load: () => import('./commands/hooks.ts') },
    skills: {
      does: 'texts by which agents work, started with /name: list, show, run, make',
      load: () => import('./commands/skills.ts'),
    },
    tools: { does: 'the tools agents may be given', load: () => import('./commands/tools.ts') },
    mcp: {
      does: 'servers that bring tools: list, add, remove, test, log in',
      load: () => import('./commands/mcp.ts'),
    },
    permissions: {
      does: 'what agents may do: list, check, add, remove rules',
      load: () => import('./commands/permissions.ts'),
    },
    trust: { does: "let this project's own files act", load: () => import('./commands/trust.ts') },
    config: {
      does: 'settings: where each value comes from, and changing them',
      load: () => import('./commands/config.ts'),
    },
  },
  'Keep it running:': {
    doctor: { does: 'check everything Troupe needs and say what to do', load: () => import('./commands/doctor.ts') },
    status: { does: 'what the server is, holds and can use', load: () => import('./commands/status.ts') },
    up: { does: 'start the server; other commands do so by themselves', load: () => import('./commands/up.ts') },
    down: { does: 'stop the server', load: () => import('./commands/down.ts') },
    logs: { does: "the server's log", load: () => import('./commands/logs.ts') },
    export: { does: 'a whole conversation as a document', load: () => import('./commands/export.ts') },
    backup: { does: 'write a copy of the data while the server runs', load: () => import('./commands/backup.ts') },
    restore: { does: 'put a backup in place of the data', load: () => import('./commands/restore.ts') },
    devices: {
      does: 'browsers and phones that hold a token: list, revoke',
      load: () => import('./commands/devices.ts'),
    },
  },
  'For scripts and shells:': {
    replay: {
      does: 'play a recorded conversation back, and say where it differs',
      load: () => import('./commands/replay.ts'),
    },
    listen: { does: 'wait for the next question, and print it as JSON', load: () => import('./commands/listen.ts') },
    answer: { does: 'answer a question, by the id that "listen" printed', load: () => import('./commands/answer.ts') },
    completion: {
      does: 'complete commands, agents and sessions in your shell',
      load: () => import('./commands/completion.ts'),
    },
    __complete: { does: 'answer a shell', load: () => import('./completion/answer.ts'), hidden: true },
  },
}

const commands: Readonly<Record<string, Entry>> = Object.assign({}, ...Object.values(groups))

const examples = `
Examples:
  ${troupe}                                   talk to the team
  ${troupe} ask assistant "have researcher list the files"
  git diff | ${troupe} ask coder              what is piped in is the question

Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 no server, 4 a person has to decide something.`

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
  throw noSuch(`${command.name()} ${word}`, word, command, `${command.name()} `)
}

function noSuch(shown: string, word: string, { commands: known }: Command, before = ''): Failure {
  const names = known.map((each) => each.name())
  const meant = closest(word, before ? names : [...names, 'help'])
  if (meant) return usage(`There is no command "${shown}".`, `Did you mean "${troupe} ${before}${meant}"?`)
  const all = before ? `There is: ${names.join(', ')}.` : `"${troupe} --help" lists them.`
  return usage(`There is no command "${shown}".`, all)
}

export async function main(argv: readonly string[]): Promise<void> {
  endQuietlyWithTheReader()
  const program = createProgram()
  try {
    await program.parseAsync(wordsOf(program, argv), { from: 'user' })
  } catch (thrown) {
    process.exitCode = report(thrown, program.opts<{ json?: boolean }>().json ?? false)
  }
}

/** What commander is told: a line without a command starts the chat at a terminal, and asks for help in a script. */
function wordsOf(program: Command, argv: readonly string[]): string[] {
  // "help send" becomes "send --help", because only the command, once loaded, knows its options.
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv]
  const { operands, unknown } = program.parseOptions(words)
  const [name] = operands
  if (name !== undefined) {
    if (Object.hasOwn(commands, name)) return words
    throw noSuch(name, name, program)
  }
  if (unknown.length > 0) return words
  return [...words, process.stdin.isTTY && process.stdout.isTTY ? 'welcome' : '--help']
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
    .addHelpText('after', examples)
  for (const [heading, entries] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const [name, { does, hidden = false }] of Object.entries(entries)) {
      program
        .command(name, { hidden })
        .description(does)
        .helpOption('-h, --help', 'say how it is used')
        .helpCommand(false)
    }
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
