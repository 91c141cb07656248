import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { SkillName } from '../../contract/skills.ts'
import { newId } from '../../lib/ids.ts'
import { asCalled, troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure, usage } from '../failure.ts'
import { folderFor, type Where } from '../own-folder.ts'
import { note, oneLine, paint, say, tell } from '../print.ts'
import { inLines } from '../problems.ts'
import { table } from '../table.ts'

export default function define(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('all of them, with what cannot be used')
    .option('--agent <name>', 'those that this agent has, its own included')
    .action(action(list))
  command
    .command('show')
    .argument('<name>')
    .description('one skill, whole')
    .option('--agent <name>', 'as this agent has it')
    .action(action(show))
  command
    .command('run')
    .argument('<name>')
    .argument('[arguments...]', 'what follows its name')
    .description('start one: as a task, or in a session')
    .option('--agent <name>', 'give it to this agent as a task')
    .option('--session <ref>', 'say it to this session')
    .action(action(run))
  command
    .command('new')
    .argument('<name>', 'what it is called')
    .description('a skill to begin from: for the project, or')
    .option('--agent <name>', 'for one agent')
    .option('--global', 'for all your projects')
    .action(action(make))
}

async function list(cli: Cli, { agent }: { agent?: string }): Promise<void> {
  const client = await connect(cli)
  const about = agent === undefined ? {} : { query: { agent } }
  const items = await client.all('GET /api/skills', about)
  const problems = await client.all('GET /api/skills/problems', about)
  tell(cli, { items, problems }, () => {
    const rows = items.map(({ name, source, context, humanOnly, hint, description }) => ({
      skill: `/${name}${hint ? ` ${hint}` : ''}`,
      from: source,
      by: [context === 'fork' ? 'helper' : 'the agent', ...(humanOnly ? ['people only'] : [])].join(', '),
      what: oneLine(description, 70),
    }))
    table(rows, `There are no skills. Make one: ${troupe} skills new <name>`)
    for (const line of inLines(problems)) say(`${paint('yellow', '!')} ${asCalled(line)}`)
    if (items.length > 0) say(paint('dim', '\nStart one with /name at the beginning of any message.'))
  })
}

async function show(cli: Cli, name: string, { agent }: { agent?: string }): Promise<void> {
  const client = await connect(cli)
  const query = agent === undefined ? {} : { agent }
  const found = await client.call('GET /api/skills/{name}', { params: { name }, query })
  tell(cli, found, () => {
    say(
      `${paint('bold', `/${found.name}`)}${found.hint ? ` ${found.hint}` : ''} (${found.source}): ${found.description}`,
    )
    say(paint('dim', found.folder))
    if (found.context === 'fork') say(`done by a helper${found.agent ? ` (${found.agent})` : ''}`)
    if (found.tools) say(`its helper has: ${found.tools.join(', ')}`)
    if (found.humanOnly) say('started by people only')
    say(`\n${found.text}`)
  })
}

async function run(
  cli: Cli,
  name: string,
  words: readonly string[],
  { agent, session }: { agent?: string; session?: string },
): Promise<void> {
  if ((agent === undefined) === (session === undefined)) throw usage('Say who does it: --agent or --session.')
  const client = await connect(cli)
  const body = {
    ...(agent === undefined ? { session: session! } : { agent }),
    ...(words.length > 0 ? { arguments: words.join(' ') } : {}),
    clientId: newId('cli'),
  }
  const started = await client.call('POST /api/skills/{name}/run', { params: { name }, body })
  tell(cli, started, () => {
    const { task, receipt } = started
    if (task) say(`${paint('green', '✓')} ${task.id} for ${task.agent}: ${troupe} tasks show ${task.id}`)
    if (receipt) say(`${paint('green', '✓')} ${receipt.outcome} (session ${receipt.session ?? ''})`)
    if (receipt?.hint) note(receipt.hint)
  })
}

async function make(cli: Cli, name: string, where: Where): Promise<void> {
  const named = SkillName.safeParse(name)
  if (!named.success) throw usage(`"${name}" ${named.error.issues[0]?.message ?? 'cannot be used'}.`)
  const file = join(await folderFor(cli, where, 'skills'), name, 'SKILL.md')
  if (existsSync(dirname(file)))
    throw new Failure(exits.failed, `${dirname(file)} is there already.`, {
      hint: 'Choose another name, or change what is there.',
    })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text(name), { flag: 'wx' })
  tell(cli, { file }, () => {
    say(`${paint('green', '+')} ${file}`)
    say(`\nWrite into it what is to be done, then begin a message with ${paint('bold', `/${name}`)}.`)
  })
}

const text = (name: string): string => `---
name: ${name}
description: What it is for and when to use it. This line is all that agents see before they load it.
argument-hint: "[what it is about]"
---

Do this with: $ARGUMENTS

1. First …
2. Then …
3. Say what you found.
`
