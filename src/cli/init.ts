import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Command } from 'commander'
import { action, type Cli } from './cli.ts'
import { keysFound } from './keys.ts'
import { paint, say, tell } from './print.ts'

export function define(command: Command): void {
  command.action(action(init))
}

async function init(cli: Cli): Promise<void> {
  const made: string[] = []
  const kept: string[] = []
  for (const [name, content] of Object.entries(files())) {
    const file = join(cli.project, '.troupe', name)
    if (write(file, content)) made.push(relative(cli.project, file))
    else kept.push(relative(cli.project, file))
  }
  const keys = keysFound(cli.env).map(({ variable }) => variable)
  tell(cli, { project: cli.project, made, kept, keys }, () => {
    for (const file of made) say(`${paint('green', '+')} ${file}`)
    for (const file of kept) say(`${paint('dim', `= ${file} was there and is unchanged`)}`)
    if (keys.length > 0) say(`Found ${keys.join(', ')}: those providers can be used.`)
    else
      say(
        'Found no key of a model provider: the scripted demo model answers until you set one, such as ANTHROPIC_API_KEY.',
      )
    say(`\nNext: ${paint('bold', 'troupe chat reviewer')}, or change who it is in .troupe/agents/reviewer/AGENT.md.`)
  })
}

/** Never overwrites: what is there is somebody's work. */
function write(file: string, content: string): boolean {
  if (existsSync(file)) return false
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { flag: 'wx' })
  return true
}

/** The schemas are copied beside the files, so that an editor helps without a network. */
function files(): Record<string, string> {
  return {
    'settings.json': settings,
    '.gitignore': ignored,
    'agents/reviewer/agent.json': agent,
    'agents/reviewer/AGENT.md': prose,
    'schemas/settings.schema.json': schema('settings'),
    'schemas/agent.schema.json': schema('agent'),
  }
}

const schema = (name: string): string =>
  readFileSync(new URL(`../../docs/schemas/${name}.schema.json`, import.meta.url), 'utf8')

const settings = `{
  "$schema": "./schemas/settings.schema.json"
  // Settings of this project, shared with everyone who works on it. Your own go into settings.local.json.
  //
  // The model of agents that name none:
  // "defaultModel": "anthropic/claude-sonnet-4-5",
  //
  // What agents may do here without asking, only after asking, never. Needs "troupe trust" to loosen anything:
  // "permissions": { "allow": ["bash"], "deny": [] },
  //
  // Where a turn ends at the latest:
  // "limits": { "maxIterations": 50, "maxDurationSeconds": 1800 }
}
`

const ignored = `settings.local.json
runs/
worktrees/
`

const agent = `{
  "$schema": "../../schemas/agent.schema.json",
  "displayName": "Reviewer",
  // What other agents, and the list of agents, say about it.
  "description": "Reads code and text of this project and says what is wrong with it, most important first.",
  // It reads and asks; it cannot write files or run commands.
  "tools": { "allow": ["read_file", "list_dir", "glob", "grep", "todo_*", "ask_human"] }
}
`

const prose = `You review work in this project.

Read what you are asked about before you judge it, and what it depends on as far as you need it.
Say what is wrong, most important first: the file and line, what happens, and what to do instead.
If something is unclear, ask. If nothing is wrong, say so in one sentence.
`
