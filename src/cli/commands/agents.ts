import type { Command } from 'commander'
import type { Agent } from '../../contract/agents.ts'
import { asCalled, troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { modelTroubles } from '../default-model.ts'
import { oneLine, paint, say, tell } from '../print.ts'
import { table } from '../table.ts'

export default function define(command: Command): void {
  command.command('list', { isDefault: true }).description('all of them, with what is broken').action(action(list))
  command.command('show').argument('<name>').description('one definition, whole').action(action(show))
  command
    .command('import')
    .argument('[names...]', 'these only')
    .description('make agents here from those of other programs (.claude/agents, .opencode/agent)')
    .option('--dry-run', 'say what would be written')
    .option('--overwrite', 'replace agents of this project that have the same name')
    .action(action(take))
}

async function list(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const items = await client.all('GET /api/agents')
  const models = await client.all('GET /api/models')
  tell(cli, { items }, () => {
    const rows = items.map((agent) => ({
      agent: agent.name,
      from: agent.source,
      model: agent.definition.model ?? 'default',
      what: agent.broken ? paint('red', 'broken') : oneLine(agent.description, 70),
    }))
    table(rows, 'There are no agents.')
    for (const agent of items) sayProblems(agent)
    for (const { name, trouble } of modelTroubles(items, models, cli.env))
      say(`${paint('yellow', '!')} ${name}: ${trouble}`)
    say(paint('dim', `\nTalk to one with "${troupe} chat <agent>".`))
  })
}

interface Taking {
  readonly dryRun?: boolean
  readonly overwrite?: boolean
}

async function take(cli: Cli, names: string[], { dryRun, overwrite }: Taking): Promise<void> {
  const client = await connect(cli)
  const body = { ...(names.length > 0 && { names }), ...(dryRun && { dryRun }), ...(overwrite && { overwrite }) }
  const { items } = await client.call('POST /api/agents/import', { body })
  tell(cli, { items }, () => {
    if (items.length === 0) say('There is nothing to import: no .claude/agents and no .opencode/agent here.')
    for (const { name, from, outcome, notes } of items) {
      const mark = outcome === 'broken' || outcome === 'exists' ? paint('yellow', '!') : paint('green', '+')
      say(`${mark} ${name} (${from}): ${outcomes[outcome]}`)
      for (const note of notes) say(paint('dim', `    ${note}`))
    }
  })
}

const outcomes = {
  written: 'written to .troupe/agents',
  new: 'would be written',
  exists: 'not written; --overwrite replaces what is there',
  broken: 'cannot be imported',
}

async function show(cli: Cli, name: string): Promise<void> {
  const client = await connect(cli)
  const agent = await client.call('GET /api/agents/{name}', { params: { name } })
  tell(cli, agent, () => {
    say(`${paint('bold', agent.name)} (${agent.source}): ${agent.description}`)
    say(paint('dim', agent.folder))
    sayProblems(agent)
    say(`\n${JSON.stringify(agent.definition, null, 2)}`)
    for (const [title, text] of Object.entries(agent.prose)) {
      if (text.trim()) say(`\n${paint('dim', `── ${title.toUpperCase()}.md`)}\n${text.trim()}`)
    }
  })
}

function sayProblems(agent: Agent): void {
  for (const { file, field, message } of agent.problems) {
    say(`${paint('yellow', '!')} ${agent.name}: ${file}${field ? `, ${field}` : ''}: ${asCalled(message)}`)
  }
}
