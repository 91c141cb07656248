import type { Command } from 'commander'
import { action, type Cli } from '../cli.ts'
import { all, connect } from '../client.ts'
import { oneLine, paint, say, table, tell } from '../print.ts'

interface ToolInfo {
  readonly name: string
  readonly description: string
  readonly capabilities: readonly string[]
  readonly needsRules?: readonly string[]
  readonly permission?: { readonly decision: string }
}

export function define(command: Command): void {
  command.option('--session <ref>', 'the tools that session has in effect').action(action(tools))
}

async function tools(cli: Cli, { session }: { session?: string }): Promise<void> {
  const client = await connect(cli)
  const path = session ? `/api/sessions/${encodeURIComponent(session)}/tools` : '/api/tools'
  const items = await all<ToolInfo>(client, path)
  tell(cli, { items }, () => {
    const rows = items.map((tool) => ({
      tool: tool.name,
      needs: tool.capabilities.join(', '),
      ...(tool.permission ? { rule: tool.permission.decision } : {}),
      what: oneLine(tool.description, 80),
    }))
    table(rows, 'There are no tools.')
    const rules = items.flatMap(({ needsRules = [] }) => needsRules)
    if (rules.length > 0) say(paint('dim', `\nNot shown to an agent until a rule allows it: ${rules.join(', ')}.`))
    say(
      paint('dim', '\nWhich of them an agent has is written in its agent.json: tools.allow, tools.deny, capabilities.'),
    )
  })
}
