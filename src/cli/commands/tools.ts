import type { Command } from 'commander'
import type { ToolInfo } from '../../contract/tools.ts'
import { asCalled, troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure } from '../failure.ts'
import { oneLine, paint, say, tell } from '../print.ts'
import { inLines } from '../problems.ts'
import { table } from '../table.ts'
import { makeTool } from './tools-new.ts'

export default function define(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('all of them, with what cannot be used')
    .option('--agent <name>', 'those that this agent has, its own included')
    .option('--session <ref>', 'those that this session has in effect')
    .action(action(list))
  command
    .command('show')
    .argument('<name>')
    .description('one tool, with what it takes')
    .option('--agent <name>', 'as this agent has it')
    .action(action(show))
  command
    .command('new')
    .argument('<name>', 'what it is called')
    .description('a folder with a tool to begin from: for the project, or')
    .option('--agent <name>', 'for one agent')
    .option('--global', 'for all your projects')
    .option('--ts', 'in TypeScript')
    .action(action(makeTool))
}

async function list(cli: Cli, { agent, session }: { agent?: string; session?: string }): Promise<void> {
  const client = await connect(cli)
  const about = agent === undefined ? {} : { query: { agent } }
  const items = session
    ? await client.all('GET /api/sessions/{ref}/tools', { params: { ref: session } })
    : await client.all('GET /api/tools', about)
  const problems = session || cli.acting ? [] : await client.all('GET /api/tools/problems', about)
  tell(cli, { items, problems }, () => {
    const rows = items.map((tool) => ({
      tool: tool.name,
      from: tool.source,
      tier: tool.tier,
      needs: tool.capabilities.join(', '),
      ...('permission' in tool ? { rule: tool.permission.decision } : {}),
      what: oneLine(tool.description, 70),
    }))
    table(rows, 'There are no tools.')
    for (const line of inLines(problems)) say(`${paint('yellow', '!')} ${line}`)
    const rules = items.flatMap((tool) => ('needsRules' in tool ? tool.needsRules : []))
    if (rules.length > 0) say(paint('dim', `\nNot shown to an agent until a rule allows it: ${rules.join(', ')}.`))
    if (items.some(({ tier }) => tier === 'listed'))
      say(paint('dim', '\nListed: the agent knows its name, and loads it with tool_search when it needs it.'))
    say(
      paint('dim', '\nWhich of them an agent has is written in its agent.json: tools.allow, tools.deny, capabilities.'),
    )
    say(paint('dim', `A tool of your own: ${troupe} tools new <name>`))
  })
}

async function show(cli: Cli, name: string, { agent }: { agent?: string }): Promise<void> {
  const client = await connect(cli)
  const about = agent === undefined ? {} : { query: { agent } }
  const tool = (await client.all('GET /api/tools', about)).find((one) => one.name === name)
  const problems = cli.acting ? [] : await client.all('GET /api/tools/problems', about)
  const own = problems.filter(({ file, message }) => `${file}/`.includes(`/${name}/`) || message.includes(name))
  if (tool === undefined && own.length === 0)
    throw new Failure(exits.failed, `There is no tool "${name}" here.`, { hint: `All there are: ${troupe} tools` })
  tell(cli, { tool, problems: own }, () => {
    if (tool) inWords(tool)
    for (const line of inLines(own)) say(`${paint('yellow', '!')} ${asCalled(line)}`)
  })
}

function inWords(tool: ToolInfo): void {
  say(`${paint('bold', tool.name)} (${tool.source}, ${tool.tier}): ${tool.description}`)
  if (tool.place) say(paint('dim', tool.place))
  if (tool.capabilities.length > 0) say(`needs ${tool.capabilities.join(', ')}`)
  say(`\n${JSON.stringify(tool.inputSchema, null, 2)}`)
}
