import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Permission, PermissionDecision } from '../../contract/permissions.ts'
import { wildcard } from '../../lib/wildcard.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, usage } from '../failure.ts'
import { paint, say, tell, warn } from '../print.ts'
import { inLines } from '../problems.ts'
import { table } from '../table.ts'

export default function define(command: Command): void {
  command.command('list', { isDefault: true }).description('the rules that hold here').action(action(list))
  command
    .command('check')
    .argument('<call...>', 'a tool and its input: "bash git status", or the input as JSON')
    .option('--agent <name>', "with this agent's tools and rules")
    // Options of the command that is checked are not ours.
    .allowUnknownOption()
    .description('what would happen to a call, and which rule decides')
    .action(action(check))
  for (const [verb, does] of [
    ['add', 'add a rule for this project'],
    ['remove', 'remove one'],
  ] as const) {
    command
      .command(verb)
      .argument('<decision>', 'allow, ask or deny')
      .argument('<rule>', 'such as "bash(git status*)" or "read_file(~/notes/**)"')
      .option('--global', 'for every project')
      .description(does)
      .action(
        action((cli, decision: string, rule: string, options: Options) => change(cli, verb, decision, rule, options)),
      )
  }
}

interface Options {
  global?: boolean
}

async function list(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const items = await client.all('GET /api/permissions')
  const { problems } = await client.call('GET /api/settings')
  const withheld = problems.filter(({ field }) => field?.startsWith('permissions'))
  tell(cli, { items, problems: withheld }, show)
  if (!cli.json) for (const line of inLines(withheld)) warn(line)
}

function show({ items }: { items: readonly Permission[] }): void {
  const rows = items.map(({ decision, rule, from }) => ({ decision, rule: rule, from: from }))
  table(rows, 'There are no rules: reading and writing in the workspace is allowed, the rest is asked for.')
}

async function check(cli: Cli, words: string[], { agent }: { agent?: string }): Promise<Exit> {
  const [, tool, text] = /^\s*(\S+)\s*([\s\S]*)$/.exec(words.join(' ')) ?? []
  if (tool === undefined)
    throw usage(`Name a tool and its input, for example: ${troupe} permissions check "bash git status"`)
  const client = await connect(cli)
  const answer = await client.call('POST /api/permissions/check', {
    body: { tool, input: inputOf(text ?? ''), ...(agent === undefined ? {} : { agent }) },
  })
  tell(cli, answer, () => {
    say(`${paint(colours[answer.decision], answer.decision)}: ${answer.because}`)
    if (answer.parts.length < 2) return
    for (const part of answer.parts) say(`  ${part.decision.padEnd(6)}${part.what}: ${part.because}`)
  })
  return exits.ok
}

const colours = { allow: 'green', ask: 'yellow', deny: 'red' } as const

const isDecision = (word: string): word is PermissionDecision => Object.hasOwn(colours, word)

function inputOf(text: string): unknown {
  if (!text.trim().startsWith('{')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function change(
  cli: Cli,
  verb: 'add' | 'remove',
  decision: string,
  rule: string,
  options: Options,
): Promise<void> {
  if (!isDecision(decision)) throw usage(`"${decision}" is not a decision: allow, ask or deny.`)
  const client = await connect(cli)
  const global = options.global ?? false
  const answer =
    verb === 'add'
      ? await client.call('POST /api/permissions', { body: { decision, rule, global } })
      : await client.call('DELETE /api/permissions', { query: { decision, rule, global } })
  tell(cli, answer, show)
  if (verb === 'add') await warnOfNobody(client, rule)
}

/** A rule for a tool that does not exist is kept, and never decides anything. A server need not have told its tools yet. */
async function warnOfNobody(client: Client, rule: string): Promise<void> {
  const tool = (rule.split('(')[0] ?? '').trim()
  if (tool.startsWith('mcp:')) return
  const tools = await client.all('GET /api/tools')
  if (tools.some(({ name }) => wildcard(tool, name))) return
  warn(`No tool is called "${tool}", so the rule decides nothing. A command is written "bash(${rule})".`)
}
