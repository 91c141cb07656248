import type { Command } from 'commander'
import { MemoryScope } from '../../contract/memory.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, usage } from '../failure.ts'
import { oneLine, paint, say, tell, warn } from '../print.ts'
import { readAll } from '../stdin.ts'
import { table } from '../table.ts'
import { edit } from './memory-edit.ts'

export default function define(command: Command): void {
  command.command('list', { isDefault: true }).description('the files of memory').action(action(list))
  placed(command.command('show'))
    .argument('[path]', 'the file', 'MEMORY.md')
    .description('one file')
    .action(action(show))
  placed(command.command('search'))
    .argument('<query...>', 'words')
    .option('--limit <n>', 'how many sections', '10')
    .description('the sections that fit best')
    .action(action(search))
  placed(command.command('write'))
    .argument('<path>', 'the file; "today" is the log of the day')
    .argument('[text...]', 'what to append; piped in otherwise')
    .description('append to a file')
    .action(action(write))
  placed(command.command('edit'))
    .argument('[path]', 'the file', 'MEMORY.md')
    .description('open a file in your editor ($VISUAL, $EDITOR)')
    .action(action((cli, path: string, options: Place) => edit(cli, placeOf(options), path)))
  placed(command.command('delete')).argument('<path>', 'the file').description('remove a file').action(action(remove))
  command
    .command('tidy')
    .argument('<agent>', 'whose memory')
    .option('--no-wait', 'do not wait until it is done')
    .description('have an agent review its daily logs into long-term memory')
    .action(action(tidy))
}

interface Place {
  scope?: string
  agent?: string
}

const placed = (command: Command): Command =>
  command
    .option('--scope <scope>', 'user, project or agent (project; agent where one is named)')
    .option('--agent <name>', 'whose memory')

function placeOf({ scope, agent }: Place): { scope: MemoryScope; agent?: string } {
  const chosen = MemoryScope.safeParse(scope ?? (agent === undefined ? 'project' : 'agent'))
  if (!chosen.success) throw usage(`"${scope}" is not a scope: user, project or agent.`)
  if (chosen.data === 'agent' && agent === undefined) throw usage('The scope "agent" needs --agent <name>.')
  return { scope: chosen.data, ...(agent === undefined ? {} : { agent }) }
}

async function list(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const items = await client.all('GET /api/memory')
  const { trusted } = await client.call('GET /api/trust')
  tell(cli, { items }, () => {
    const rows = items.map(({ scope, agent = '', path, bytes, changedAt }) => ({
      scope,
      agent,
      path,
      bytes: String(bytes),
      changed: changedAt.slice(0, 16).replace('T', ' '),
    }))
    table(rows, 'Nothing is remembered yet.')
  })
  if (!trusted && !cli.json) warn(`This project is not trusted, so its memory has no effect: "${troupe} trust".`)
}

async function show(cli: Cli, path: string, options: Place): Promise<void> {
  const client = await connect(cli)
  const file = await client.call('GET /api/memory/file', { query: { ...placeOf(options), path } })
  tell(cli, file, ({ text }) => say(text.trimEnd()))
}

async function search(cli: Cli, words: string[], { limit, ...options }: Place & { limit: string }): Promise<void> {
  const named = options.scope !== undefined || options.agent !== undefined
  const client = await connect(cli)
  const found = await client.call('POST /api/memory/search', {
    body: { query: words.join(' '), limit: numberOf(limit), ...(named ? placeOf(options) : {}) },
  })
  tell(cli, found, ({ items }) => {
    if (items.length === 0) say('Nothing in memory has these words.')
    for (const { scope, agent, path, heading, snippet } of items) {
      say(`${paint('bold', `${agent ?? scope}/${path}`)}${heading ? ` › ${heading}` : ''}`)
      say(`  ${oneLine(snippet, 400)}`)
    }
  })
  if (!cli.json) for (const note of found.notes) warn(note)
}

function numberOf(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > 50) throw usage(`"${text}" is not a number from 1 to 50.`)
  return limit
}

async function write(cli: Cli, path: string, words: string[], options: Place): Promise<void> {
  const content = words.length > 0 ? words.join(' ') : await readAll(process.stdin)
  if (content.trim() === '')
    throw usage('There is nothing to write.', `For example: ${troupe} memory write notes.md "Build with make."`)
  const client = await connect(cli)
  const answer = await client.call('PUT /api/memory/file', {
    body: { ...placeOf(options), path, content, mode: 'append' },
  })
  tell(cli, answer, ({ bytes }) => say(`${paint('green', '✓')} ${answer.path} has ${bytes} bytes now.`))
}

async function remove(cli: Cli, path: string, options: Place): Promise<void> {
  const client = await connect(cli)
  const answer = await client.call('DELETE /api/memory/file', { query: { ...placeOf(options), path } })
  tell(cli, answer, () => say(`${paint('green', '✓')} ${answer.path} is removed.`))
}

const TIDY_SECONDS = 600

async function tidy(cli: Cli, agent: string, { wait }: { wait: boolean }): Promise<Exit> {
  const client = await connect(cli)
  const reply = await client.call('POST /api/memory/tidy', {
    body: { agent, ...(wait ? { wait: TIDY_SECONDS } : {}) },
    ...(wait ? { timeoutMs: (TIDY_SECONDS + 10) * 1000 } : {}),
  })
  tell(cli, reply, () => {
    if (reply.reply) say(reply.reply)
    else say(`${agent} is at it: ${troupe} sessions show ${reply.session}`)
  })
  return reply.ended && reply.end !== 'done' ? exits.failed : exits.ok
}
