import type { Command } from 'commander'
import { HookEvent, type HookInfo, type HookTried } from '../../contract/hooks.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, usage } from '../failure.ts'
import { oneLine, paint, say, tell } from '../print.ts'
import { inLines } from '../problems.ts'
import { table } from '../table.ts'

/** Hooks may take 5 minutes each, and there are a few. */
const PATIENCE_MS = 20 * 60_000

export default function define(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('those that count here, in the order in which they run')
    .option('--agent <name>', 'with those of this agent')
    .action(action(list))
  command
    .command('test')
    .argument('<event>', HookEvent.options.join(', '))
    .description('run them with an example; nothing comes of what they say')
    .option('--agent <name>', 'with those of this agent (assistant)')
    .option('--hook <name>', 'only the one of this name')
    .option('--tool <name>', 'for hooks of tools: which tool (bash)')
    .option('--input <json>', 'for hooks of tools: its input')
    .action(action(test))
}

async function list(cli: Cli, { agent }: { agent?: string }): Promise<void> {
  const client = await connect(cli)
  const found = await client.call('GET /api/hooks', { query: { agent } })
  tell(cli, found, ({ items, problems }) => {
    table(items.map(rowOf), 'There are no hooks. They are written in "hooks" of settings.json or agent.json.')
    for (const line of inLines(problems)) say(`${paint('yellow', '!')} ${line}`)
    if (items.length > 0) say(paint('dim', `\nWhat one does: ${troupe} hooks test <event>`))
  })
}

const rowOf = ({ event, name, match, timeoutSeconds, command, from }: HookInfo) => ({
  event,
  hook: name,
  tools: match?.join(' ') ?? '',
  limit: `${timeoutSeconds} s`,
  command: oneLine(command, 50),
  from,
})

interface Options {
  readonly agent?: string
  readonly hook?: string
  readonly tool?: string
  readonly input?: string
}

async function test(cli: Cli, word: string, { input, ...options }: Options): Promise<Exit> {
  const event = HookEvent.options.find((one) => one === word)
  if (event === undefined) throw usage(`"${word}" is no event. There are: ${HookEvent.options.join(', ')}.`)
  const client = await connect(cli)
  const body = { event, ...options, ...(input === undefined ? {} : { input: parsed(input) }) }
  const { items } = await client.call('POST /api/hooks/test', { body, timeoutMs: PATIENCE_MS })
  tell(cli, { items }, () => {
    if (items.length === 0) say(`No hook of ${event}${aboutOf(event, options)}. All there are: ${troupe} hooks`)
    for (const one of items) say(inWords(one))
  })
  return items.some(({ verdict }) => verdict === 'failed') ? exits.failed : exits.ok
}

/** Why there may be none although the list has some of that event. */
function aboutOf(event: HookEvent, { hook, tool }: Options): string {
  const called = hook === undefined ? '' : ` is called "${hook}" and`
  return event.endsWith('Tool')
    ? `${called} is about ${tool ?? 'bash; --tool names another tool'}`
    : called.replace(/ and$/, '')
}

const colours = { passed: 'green', changed: 'cyan', denied: 'yellow', said: 'cyan', failed: 'red' } as const

function inWords({ hook, from, verdict, said, input, durationMs }: HookTried): string {
  const head = `${paint(colours[verdict], verdict)} ${hook} ${paint('dim', `(${from}, ${durationMs} ms)`)}`
  const about = [said, input === undefined ? undefined : JSON.stringify(input)].filter(Boolean)
  return [head, ...about.map((text) => `  ${text}`)].join('\n')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usage('--input must be JSON, for example: --input \'{"command":"ls"}\'')
  }
}
