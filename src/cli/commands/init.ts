import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Command } from 'commander'
import { AgentName } from '../../contract/agents.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { type Exit, exits } from '../failure.ts'
import { keysFound } from '../keys.ts'
import { paint, say, tell } from '../print.ts'
import { atTerminal, chosen, confirmed, heading, typed } from '../questions.ts'
import { author, partnerOf, type Starter, type StarterRights, starterFiles } from './init-starter.ts'

export default function define(command: Command): void {
  command
    .option('--yes', 'ask nothing: the agents "author" and "reviewer", who talk to each other')
    .action(action(init))
}

async function init(cli: Cli, { yes }: { yes?: boolean }): Promise<Exit> {
  const asks = !yes && !cli.json && atTerminal()
  const agent = asks ? await askFor(cli) : author
  if (!agent) {
    say('Nothing was made.')
    return exits.ok
  }
  const { made, kept } = make(cli, agent)
  const keys = keysFound(cli.env).map(({ variable }) => variable)
  tell(cli, { project: cli.project, made, kept, keys }, () => report(agent, made, kept, keys))
  if (asks && (await confirmed(`Talk to ${agent.name} now?`, true))) return talk(cli, agent)
  return exits.ok
}

function make(cli: Cli, agent: Starter): { made: string[]; kept: string[] } {
  const made: string[] = []
  const kept: string[] = []
  for (const [name, content] of Object.entries({ ...starterFiles(agent), ...schemas() })) {
    const file = join(cli.project, '.troupe', name)
    if (write(file, content)) made.push(relative(cli.project, file))
    else kept.push(relative(cli.project, file))
  }
  return { made, kept }
}

/** Three questions. Enter takes a good answer to each. */
async function askFor(cli: Cli): Promise<Starter | undefined> {
  await heading(`Two agents who talk, in ${join(cli.project, '.troupe')}`)
  const name = await typed('What is yours called?', {
    placeholder: author.name,
    defaultValue: author.name,
    problem: (value) => nameProblem(cli, value),
  })
  if (name === undefined) return undefined
  const does = await typed('What does it do? Tell it as you would tell a colleague.', {
    placeholder: 'Enter: it writes and changes files',
    defaultValue: '',
  })
  if (does === undefined) return undefined
  const may = await chosen<StarterRights>('What may it do?', [
    { value: 'read', label: 'read files and ask you' },
    { value: 'write', label: 'also write files' },
    { value: 'run', label: 'also run commands, after asking you' },
  ])
  return may && { name, may, ...(does.trim() ? { does } : {}) }
}

function nameProblem(cli: Cli, name: string): string | undefined {
  const parsed = AgentName.safeParse(name)
  if (!parsed.success) return `It ${parsed.error.issues[0]?.message ?? 'cannot be used'}.`
  return existsSync(join(cli.project, '.troupe', 'agents', name))
    ? 'There is an agent of that name already.'
    : undefined
}

async function talk(cli: Cli, { name }: Starter): Promise<Exit> {
  const [{ chat }, { connect }] = await Promise.all([import('./chat.ts'), import('../connect.ts')])
  return chat(cli, await connect(cli), name, { new: true })
}

function report(agent: Starter, made: readonly string[], kept: readonly string[], keys: readonly string[]): void {
  const { name } = agent
  for (const file of made) say(`${paint('green', '+')} ${file}`)
  for (const file of kept) say(`${paint('dim', `= ${file} was there and is unchanged`)}`)
  if (keys.length > 0) say(`Found ${keys.join(', ')}: those providers can be used.`)
  else {
    say('Found no key of a model provider. Until you set one, such as ANTHROPIC_API_KEY,')
    say('a scripted demo model answers: it plays, it does not think.')
  }
  const partner = partnerOf(agent).name
  say(`\nNext: ${paint('bold', `${troupe} chat ${name}`)}\n      and say: ask ${partner} to list the files`)
  say(`Who they are: .troupe/agents/${name}/AGENT.md\n              .troupe/agents/${partner}/AGENT.md`)
}

/** Never overwrites a file, because it is somebody's work. */
function write(file: string, content: string): boolean {
  if (existsSync(file)) return false
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { flag: 'wx' })
  return true
}

/** The schemas are copied beside the files, so that an editor can use them without a network. */
const schemas = (): Record<string, string> => ({
  'schemas/settings.schema.json': schema('settings'),
  'schemas/agent.schema.json': schema('agent'),
})

const schema = (name: string): string =>
  readFileSync(new URL(`../../../docs/schemas/${name}.schema.json`, import.meta.url), 'utf8')
