import type { Command } from 'commander'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { oneLine, paint, say, tell } from '../print.ts'
import { table } from '../table.ts'

export default function define(command: Command): void {
  command.option('--session <ref>', 'the tools that session has in effect').action(action(tools))
}

async function tools(cli: Cli, { session }: { session?: string }): Promise<void> {
  const client = await connect(cli)
  const items = session
    ? await client.all('GET /api/sessions/{ref}/tools', { params: { ref: session } })
    : await client.all('GET /api/tools')
  tell(cli, { items }, () => {
    const rows = items.map((tool) => ({
      tool: tool.name,
      needs: tool.capabilities.join(', '),
      ...('permission' in tool ? { rule: tool.permission.decision } : {}),
      what: oneLine(tool.description, 80),
    }))
    table(rows, 'There are no tools.')
    const rules = items.flatMap((tool) => ('needsRules' in tool ? tool.needsRules : []))
    if (rules.length > 0) say(paint('dim', `\nNot shown to an agent until a rule allows it: ${rules.join(', ')}.`))
    say(
      paint('dim', '\nWhich of them an agent has is written in its agent.json: tools.allow, tools.deny, capabilities.'),
    )
  })
}
