import { type Command, Option } from 'commander'
import { readAsked } from '../../client/approval.ts'
import type { Client } from '../../client/client.ts'
import { follow } from '../../client/live.ts'
import type { Event } from '../../contract/events.ts'
import { type InboxAnswer, type InboxItem, InboxKind } from '../../contract/inbox.ts'
import { systemClock } from '../../lib/clock.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure, usage } from '../failure.ts'
import { answerWith, commandFor, lineagePath, openItem, openItems, sayItem, shortId } from '../inbox-items.ts'
import { ago, oneLine, paint, say, tell } from '../print.ts'
import { whereabouts } from '../server.ts'
import { ALL_PAUSED, isPaused } from '../standstill.ts'
import { table } from '../table.ts'
import { readText } from './send.ts'

export default function define(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('what is open')
    .option('--all', 'also what is answered, dismissed or expired')
    .addOption(new Option('--kind <kind>', 'only these').choices(InboxKind.options))
    .option('--agent <name>', 'only what this agent asks or says')
    .action(action(list))
  command.command('show').argument('<id>').description('one item, whole').action(action(show))
  command
    .command('answer')
    .argument('<id>')
    .argument('<text...>')
    .description('answer a question; a number picks that option')
    .action(
      action(async (cli, id: string, words: string[]) => {
        const text = await readText(words)
        return answer(cli, id, (item) => answerWith(item, text))
      }),
    )
  command
    .command('approve')
    .argument('<id>')
    .option('--session', 'and the same again, for the rest of that session')
    .option('--always', 'and write a rule, so that it is not asked again')
    .description('let a call run')
    .action(
      action((cli, id: string, options: ApproveOptions) =>
        answer(cli, id, (item) => approval(item, decisionOf(options))),
      ),
    )
  command
    .command('deny')
    .argument('<id>')
    .option('--reason <text>', 'what the agent is told')
    .description('refuse a call')
    .action(
      action((cli, id: string, { reason }: { reason?: string }) =>
        answer(cli, id, (item) => approval(item, 'deny', reason)),
      ),
    )
  command.command('dismiss').argument('<id...>').description('take it off the list').action(action(dismiss))
  command.command('watch').description('print what comes in, until Ctrl-C').action(action(watch))
}

interface ApproveOptions {
  session?: boolean
  always?: boolean
}

interface ListOptions {
  all?: boolean
  kind?: InboxKind
  agent?: string
}

async function list(cli: Cli, { all, kind, agent }: ListOptions): Promise<void> {
  const client = await connect(cli)
  const query = { project: '*', kind, agent, ...(all ? {} : { status: 'open' as const }) }
  const items = await client.all('GET /api/inbox', { query })
  tell(cli, { items }, () => {
    const now = systemClock.now()
    const rows = items.map((item) => ({
      id: shortId(item),
      kind: item.kind,
      from: lineagePath(item),
      what: summary(item),
      ...(all && { status: item.status }),
      when: ago(item.createdAt, now),
    }))
    table(rows, kind || agent ? 'Nothing of that waits for you.' : 'Nothing waits for you.')
    if (items[0]) say(paint('dim', `\nRead one with "${troupe} inbox show ${shortId(items[0])}".`))
  })
}

/** The title and, of an approval, its first argument. */
function summary({ kind, title, body }: InboxItem): string {
  const { fields, changes } = readAsked(kind === 'approval' ? body : '')
  const [first] = fields
  if (first === undefined) return oneLine(title, 90)
  const more = fields.length > 1 || changes.length > 0
  return `${oneLine(`${title}: ${first.name}: ${first.text}`, 90)}${more ? ' …' : ''}`
}

async function show(cli: Cli, id: string): Promise<void> {
  const client = await connect(cli)
  tell(cli, await find(client, id), (item) => sayItem(item, say))
}

async function answer(cli: Cli, id: string, write: (item: InboxItem) => InboxAnswer): Promise<void> {
  const client = await connect(cli)
  const item = await find(client, id)
  const answered = await client.call('POST /api/inbox/{id}/answer', { params: { id: item.id }, body: write(item) })
  const goesOn = (await isPaused(client)) ? ALL_PAUSED : 'it goes on.'
  tell(cli, answered, () => say(`${paint('green', '✓')} ${oneLine(item.title)}: answered; ${goesOn}`))
}

async function dismiss(cli: Cli, ids: string[]): Promise<void> {
  const client = await connect(cli)
  for (const id of ids) {
    const item = await find(client, id)
    const dismissed = await client.call('POST /api/inbox/{id}/dismiss', { params: { id: item.id } })
    tell(cli, dismissed, () => say(`${paint('green', '✓')} ${oneLine(item.title)}: dismissed.`))
  }
}

async function watch(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const shown = new Set<string>()
  const show = (item: InboxItem): void => {
    if (shown.has(item.id)) return
    shown.add(item.id)
    tell(cli, item, () => sayItem(item, say))
  }
  /** Whatever comes in after the first page was read comes as an event, too: nothing is shown twice. */
  const anew = async (): Promise<string | undefined> => {
    const { seq } = await client.snapshot('GET /api/inbox', { query: { status: 'open', project: '*', limit: 1 } })
    for (const item of (await openItems(client)).toReversed()) show(item)
    return seq
  }
  const stream = await follow(
    client,
    { types: ['inbox.added'], project: '*', after: await anew() },
    {
      async event(event: Event) {
        const found = await openItem(client, String(event.data.inboxId))
        if (found) show(found)
      },
      anew,
    },
    whereabouts(cli),
  )
  process.once('SIGINT', () => stream.close())
  await stream.ended
}

function approval(item: InboxItem, decision: 'once' | 'session' | 'always' | 'deny', reason?: string): InboxAnswer {
  if (item.kind !== 'approval') {
    throw usage(`${shortId(item)} is a ${item.kind}, there is nothing to allow.`, `Use: ${commandFor(item)}`)
  }
  return { decision, ...(reason ? { reason } : {}) }
}

function decisionOf({ session, always }: ApproveOptions): 'once' | 'session' | 'always' {
  if (session && always) throw usage('--session and --always exclude each other: take the one you mean.')
  return always ? 'always' : session ? 'session' : 'once'
}

/** Finds an item by its id or any unique beginning of it, with or without "inbox_". */
async function find(client: Client, id: string): Promise<InboxItem> {
  const wanted = id.startsWith('inbox_') ? id : `inbox_${id}`
  const matches = (items: InboxItem[]): InboxItem[] => {
    const exact = items.find((item) => item.id === wanted)
    return exact ? [exact] : items.filter((item) => item.id.startsWith(wanted))
  }
  const query = { project: '*', id: wanted.replaceAll(/[^\w-]/g, '-').slice(0, 200), limit: 200 } as const
  let found = matches((await client.call('GET /api/inbox', { query: { ...query, status: 'open' } })).items)
  if (found.length === 0) found = matches((await client.call('GET /api/inbox', { query })).items)
  const [first, second] = found
  if (first && !second) return first
  if (first) {
    throw new Failure(
      exits.failed,
      `"${id}" could be ${found
        .slice(0, 10)
        .map(({ id }) => id)
        .join(', ')}.`,
      {
        code: 'inbox.ambiguous',
        hint: 'Type a few more characters of the one you mean.',
      },
    )
  }
  throw new Failure(exits.failed, `Nothing in the inbox begins with "${id}".`, {
    code: 'inbox.not_found',
    hint: `See what is there with "${troupe} inbox --all".`,
  })
}
