import type { Command } from 'commander'
import type { McpInfo } from '../../contract/mcp.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, Failure, usage } from '../failure.ts'
import { note, paint, say, tell } from '../print.ts'
import { inLines } from '../problems.ts'
import { table } from '../table.ts'
import { login, logout } from './mcp-login.ts'

/** A server may take 600 s to start, and says more about it than that nobody answered. */
const TEST_MS = 620_000

export default function define(command: Command): void {
  const ofAgent = ['--agent <name>', 'with the servers of this agent'] as const
  const named = (name: string): Command =>
    command
      .command(name)
      .argument('<name>', 'the server')
      .option(...ofAgent)
  command
    .command('list', { isDefault: true })
    .description('the servers, what each is doing and what it has')
    .option(...ofAgent)
    .action(action(list))
  command
    .command('add')
    .argument('<name>', 'what it is called')
    .argument('<target...>', 'its address (https://…), or its command and arguments; write "--" before the command')
    .option('--env <NAME=value...>', 'a variable it gets; "$NAME" as value reads ours')
    .option('--header <Name: value...>', 'a header that is sent; "$NAME" as value reads the variable')
    .option('--where <place>', 'home, project, project-local: which settings file is written', 'home')
    .description('add a server to the settings, and try it')
    .action(action(add))
  command
    .command('remove')
    .argument('<name>', 'the server')
    .option('--where <place>', 'home, project, project-local: which settings file is changed', 'home')
    .description('take a server out of the settings')
    .action(action(remove))
  named('test').description('start it now and list what it has').action(action(test))
  named('logs').description('what it printed beside its answers').action(action(logs))
  named('login').description('log in to a server that wants it (OAuth)').action(action(login))
  named('logout').description('forget the login').action(action(logout))
}

interface OfAgent {
  agent?: string
}

async function list(cli: Cli, { agent }: OfAgent): Promise<void> {
  const client = await connect(cli)
  const about = agent === undefined ? {} : { query: { agent } }
  const items = await client.all('GET /api/mcp', about)
  const problems = (await client.all('GET /api/tools/problems', about)).filter(({ field = '' }) =>
    field.startsWith('mcpServers.'),
  )
  tell(cli, { items, problems }, () => {
    const rows = items.map((server) => ({
      server: server.name,
      state: server.state,
      tools: server.says === undefined ? '?' : String(server.tools.length),
      from: server.source,
      at: server.target,
    }))
    table(rows, `There are no MCP servers. Add one: ${troupe} mcp add <name> -- <command…>, or an address.`)
    for (const line of inLines(problems)) say(`${paint('yellow', '!')} ${line}`)
    for (const server of items) sayChanged(server)
  })
}

function sayChanged({ name, tools }: McpInfo): void {
  const changed = tools.filter((tool) => tool.changed).map(({ rule }) => rule)
  if (changed.length > 0)
    say(
      `${paint('yellow', '!')} ${name}: new or changed since approved, so asked for in any case: ${changed.join(', ')}`,
    )
}

interface Added {
  env?: string[]
  header?: string[]
  where: string
}

async function add(cli: Cli, name: string, target: string[], { env = [], header = [], where }: Added): Promise<Exit> {
  const [first = '', ...args] = target
  const isAddress = /^https?:\/\//.test(first)
  if (isAddress && args.length > 0) throw usage('Behind an address comes nothing more.')
  const server = isAddress
    ? { type: 'http', url: first, ...(header.length > 0 && { headers: pairs(header, /^([^:=]+)[:=]\s*(.*)$/) }) }
    : {
        command: first,
        ...(args.length > 0 && { args }),
        ...(env.length > 0 && { env: pairs(env, /^([^=]+)=(.*)$/) }),
      }
  const client = await connect(cli)
  const place = placeOf(where)
  const known = (await client.all('GET /api/mcp')).find((one) => one.name === name)
  if (known?.source === place)
    throw new Failure(exits.failed, `There is an MCP server "${name}" in the settings of ${place}: ${known.target}`, {
      hint: `Choose another name, or remove that one first: ${troupe} mcp remove ${name} --where ${place}`,
    })
  await client.call('PATCH /api/settings', {
    body: { where: place, changes: { [`mcpServers.${name}`]: server } },
  })
  if (!cli.json) say(`${paint('green', '✓')} ${name} is in the settings (${where}).`)
  return test(cli, name, {})
}

function pairs(texts: readonly string[], form: RegExp): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value = ''] = form.exec(text) ?? []
      if (name === undefined) throw usage(`"${text}" has no name and value.`)
      return [name.trim(), value]
    }),
  )
}

const places = ['home', 'project', 'project-local'] as const

function placeOf(where: string): (typeof places)[number] {
  const place = places.find((one) => one === where)
  if (place) return place
  throw usage(`--where must be one of ${places.join(', ')}, not "${where}".`)
}

async function remove(cli: Cli, name: string, { where }: { where: string }): Promise<void> {
  const client = await connect(cli)
  const place = placeOf(where)
  const known = (await client.all('GET /api/mcp')).find((server) => server.name === name)
  if (known?.source !== place)
    throw new Failure(exits.failed, `There is no MCP server "${name}" in the settings of ${place}.`, {
      hint: known ? `It is in ${known.file}.` : `All there are: ${troupe} mcp list`,
    })
  await client.call('PATCH /api/settings', { body: { where: place, changes: { [`mcpServers.${name}`]: null } } })
  tell(cli, { removed: name }, () => say(`${paint('green', '✓')} ${name} is removed.`))
}

async function test(cli: Cli, name: string, { agent }: OfAgent): Promise<Exit> {
  const client = await connect(cli)
  const server = await client.call('POST /api/mcp/{name}/test', {
    params: { name },
    ...(agent !== undefined && { query: { agent } }),
    timeoutMs: TEST_MS,
  })
  tell(cli, server, sayServer)
  return server.state === 'running' ? exits.ok : exits.failed
}

function sayServer(server: McpInfo): void {
  const { name, state, says, reason, tools, resources, prompts } = server
  if (state !== 'running') {
    say(`${paint('red', '✗')} ${name} is ${state}: ${reason ?? 'it was not started'}`)
    note(state === 'login' ? `Log in: ${troupe} mcp login ${name}` : `What it printed: ${troupe} mcp logs ${name}`)
    return
  }
  say(`${paint('green', '✓')} ${name} runs${says ? ` (${says})` : ''}`)
  table(
    tools.map((tool) => ({ tool: tool.name, rule: tool.rule })),
    'It has no tools.',
  )
  sayChanged(server)
  if (resources) say('It has resources: agents list and read them.')
  if (prompts.length > 0) say(`It has prompts: ${prompts.join(', ')}`)
}

async function logs(cli: Cli, name: string, { agent }: OfAgent): Promise<void> {
  const client = await connect(cli)
  const log = await client.call('GET /api/mcp/{name}/log', {
    params: { name },
    ...(agent !== undefined && { query: { agent } }),
  })
  tell(cli, log, ({ text }) => say(text.trimEnd() || 'It has printed nothing.'))
}
