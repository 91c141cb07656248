import { type Command, Option } from 'commander'
import type { ChangeSession } from '../../contract/api.ts'
import { isEvent } from '../../contract/event-handlers.ts'
import type { Event, EventData } from '../../contract/events.ts'
import { remarkTypes } from '../../contract/remarks.ts'
import { type Session, SessionStatus } from '../../contract/sessions.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { asCalled, troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { printExport } from '../exports.ts'
import { exits, Failure, usage } from '../failure.ts'
import { ago, oneLine, paint, price, say, tell } from '../print.ts'
import { atTerminal, confirmed } from '../questions.ts'
import { remarkHere } from '../remarks.ts'
import { table } from '../table.ts'
import { transcript } from '../transcript.ts'
import { checkModel } from './models.ts'
import { cancel } from './sessions-cancel.ts'
import { context, prompt } from './sessions-read.ts'

export default function define(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('conversations: pinned ones first, then the newest')
    .option('--agent <name>', 'only of this agent')
    .addOption(new Option('--status <status>', 'only those in this state').choices([...SessionStatus.options]))
    .option('--search <text>', 'only those whose title has this')
    .option('--limit <number>', 'how many', '30')
    .option('--all-projects', 'not only this project')
    .action(action(list))
  verb(command, 'show', 'one session: status, model, tokens, cost', show)
  verb(command, 'messages', 'the conversation', messages).option('--limit <number>', 'only the last ones', '50')
  verb(command, 'prompt', 'the system prompt, with tokens per section', prompt)
  verb(command, 'context', "what fills the model's window, by part", context)
  verb(
    command,
    'compact',
    'have the model read a summary of its older messages; the log stays whole',
    compact,
  ).argument('[focus...]', 'what to keep above all')
  verb(command, 'export', 'the whole conversation as a document', (cli, ref, _words, { format }) =>
    printExport(cli, ref, format),
  ).option('--format <format>', 'md or jsonl', 'md')
  verb(command, 'rename', 'give it a title', (cli, ref, [title]) => change(cli, ref, { title: title ?? '' })).argument(
    '<title>',
  )
  verb(command, 'model', 'the model it uses from now on; "default" follows the agent again', changeModel).argument(
    '<model>',
  )
  verb(command, 'pin', 'list it before the others', (cli, ref) =>
    change(cli, ref, { pinned: true }, `Pinned: it comes first in "${troupe} sessions".`),
  )
  verb(command, 'unpin', 'list it among the others again', (cli, ref) =>
    change(cli, ref, { pinned: false }, 'No longer pinned: it is listed by its age again.'),
  )
  verb(command, 'fork', 'a new session with its history, or with a beginning of it (--at)', fork)
    .option('--at <message>', 'number or id of the last message to take')
    .option('--title <title>', 'title of the new one')
  verb(command, 'switch', 'go on with another agent, in its latest session; your message goes there', switchTo)
    .argument('<agent>', 'its name')
    .argument('[message]', 'what you say to it')
  verb(command, 'back', 'return to where you came from, and tell that session what was decided', back).argument(
    '[summary]',
    'what was decided; the last it said unless told',
  )
  verb(command, 'cancel', 'stop what it is doing, at once', cancel).option(
    '--tree',
    'and all that it made, at any depth',
  )
  for (const [name, does] of operations) verb(command, name, does, (cli, ref) => operate(cli, ref, name))
  verb(command, 'delete', 'delete it; no other session ever gets its handle', remove).option('--yes', 'without asking')
}

const operations = [
  ['pause', 'let it take no more work until resumed'],
  ['resume', 'let it go on'],
  ['clear', 'remove the history; identity and unread mail stay'],
  ['close', 'finish it; a new message opens it again'],
  ['reopen', 'open a closed one'],
  ['promote', 'let a child stay when the session that made it ends'],
] as const

type Options = Record<string, string | undefined>

interface ListOptions {
  readonly agent?: string
  readonly status?: SessionStatus
  readonly search?: string
  readonly limit?: string
  readonly allProjects?: boolean
}

function verb(
  parent: Command,
  name: string,
  does: string,
  run: (cli: Cli, ref: string, words: string[], options: Options & { yes?: true }) => Promise<void>,
): Command {
  return parent
    .command(name)
    .description(does)
    .argument('<session>', 'handle, or any unique beginning of the id')
    .action(
      action((cli, ref: string, ...rest: unknown[]) => {
        const words = rest.flat().filter((word) => typeof word === 'string')
        return run(cli, ref, words, rest.at(-1) as Options)
      }),
    )
}

async function list(cli: Cli, options: ListOptions): Promise<void> {
  const client = await connect(cli)
  const limit = countOf('--limit', options.limit)
  // More are read than a person is shown, because an older session may be pinned.
  const asked = cli.json ? Math.min(limit, PAGE) : PAGE
  const { agent, status, search: q } = options
  const query = { agent, status, q, limit: asked, ...(options.allProjects ? { project: '*' } : {}) }
  const page = await client.call('GET /api/sessions', { query })
  const inOrder = page.items.toSorted((a, b) => Number(Boolean(b.pinnedAt)) - Number(Boolean(a.pinnedAt)))
  tell(cli, { ...page, items: inOrder }, ({ items }) => {
    const now = systemClock.now()
    const rows = items.slice(0, limit).map((session) => ({
      session: session.handle,
      agent: session.agent,
      status: session.status,
      title: `${session.pinnedAt ? '★ ' : ''}${oneLine(session.title, 50)}`,
      messages: String(session.messageCount),
      cost: price(session.totalCostUsd, session.unpricedTokens),
      changed: ago(session.updatedAt, now),
    }))
    table(rows, `No conversation yet. Begin one with "${troupe} chat".`)
    if (items.length > limit) say(paint('dim', `There are more: --limit ${limit * 2} shows them.`))
    else if (page.nextCursor) say(paint('dim', 'There are older ones: find them with --search, --agent or --status.'))
  })
}

const PAGE = 200
/** How many events a session's page looks through for what went wrong lately. */
const LATELY = 5

async function show(cli: Cli, ref: string): Promise<void> {
  const client = await connect(cli)
  const found = await client.call('GET /api/sessions/{ref}', { params: { ref } })
  const waiting =
    found.status === 'waiting' && !cli.json
      ? await client.call('GET /api/why/{ref}', { params: { ref: found.id } })
      : undefined
  const query = { session: found.id, types: [...remarkTypes], newest: true, limit: LATELY }
  const events = cli.json ? [] : (await client.call('GET /api/events', { query })).items
  tell(cli, found, (session) => {
    say(`${paint('bold', session.handle)} ${session.title}`)
    const { input, output, cached } = session.tokens
    const facts: Record<string, string | undefined> = {
      agent: `${session.agent} (${session.mode})`,
      status: `${session.status}${session.reason ? `: ${asCalled(session.reason)}` : ''}`,
      model: session.model ?? "the agent's",
      workspace: session.workspace,
      messages: String(session.messageCount),
      tokens: `${input} in (${cached} cached${input > 0 ? `, ${Math.round((cached / input) * 100)}%` : ''}), ${output} out`,
      cost: costLine(session),
      changed: ago(session.updatedAt, systemClock.now()),
      id: session.id,
    }
    for (const [name, value] of Object.entries(facts)) say(`  ${paint('dim', name.padEnd(10))}${value}`)
    sayLately(events, session)
    if (waiting) say(`\n${asCalled(waiting.text.split('\n', 1)[0] ?? '')}\nMore: ${troupe} why ${session.handle}`)
  })
}

/** The session's own cost is named apart where children have spent too. */
function costLine({ costUsd, totalCostUsd, unpricedTokens }: Session): string {
  const own = totalCostUsd === costUsd ? '' : `, its own ${price(costUsd, unpricedTokens)}`
  const unknown = unpricedTokens === 0 ? '' : ` (the price of ${unpricedTokens} tokens is not known)`
  return `${price(totalCostUsd, unpricedTokens)}${own}${unknown}`
}

/** What the session's status says already is left out. */
function sayLately(events: readonly Event[], { reason }: Session): void {
  const lines = events.flatMap((event) => {
    const said = remarkHere(event)
    return said && !(reason && said.text.includes(asCalled(reason)))
      ? [`  ${paint('dim', ago(event.at, systemClock.now()).padEnd(10))}${said.text}`]
      : []
  })
  if (lines.length > 0) say(['\nWhat happened beside the messages:', ...lines].join('\n'))
}

async function messages(cli: Cli, ref: string, _words: string[], options: Options): Promise<void> {
  const client = await connect(cli)
  const limit = countOf('--limit', options.limit)
  const { messageCount } = await client.call('GET /api/sessions/{ref}', { params: { ref } })
  const after = Math.max(0, messageCount - limit)
  const items = await client.all('GET /api/sessions/{ref}/messages', {
    params: { ref },
    query: after > 0 ? { after } : {},
  })
  const query = { session: ref, types: [...remarkTypes, ...logTypes], newest: true, limit: EVENTS }
  const events = (await client.call('GET /api/events', { query })).items
  const endings = events.flatMap((event) => (isEvent(event, 'turn.ended') ? brokenOff(event.data) : []))
  tell(cli, { items, endings }, () => {
    if (after > 0) say(paint('dim', `(${after} earlier ones: --limit ${messageCount})`))
    say(transcript(items, events))
  })
}

/** How many events are looked through for what happened beside the messages; the newest. */
const EVENTS = 1000
const logTypes = ['session.cleared', 'message.appended'] as const

const brokenOff = ({ turnId, end, reason }: EventData<'turn.ended'>) =>
  end === 'done' ? [] : [{ turnId, end, reason }]

async function compact(cli: Cli, ref: string, words: string[]): Promise<void> {
  const client = await connect(cli)
  const focus = words.join(' ')
  const body = focus === '' ? {} : { focus }
  tell(cli, await client.call('POST /api/sessions/{ref}/compact', { params: { ref }, body }), (session) => {
    sayDone(session)
    say(
      paint(
        'dim',
        `It is compacted at its next safe point; "${troupe} sessions show ${session.handle}" says what came of it.`,
      ),
    )
  })
}

async function change(cli: Cli, ref: string, body: ChangeSession, more = ''): Promise<void> {
  const client = await connect(cli)
  tell(cli, await client.call('PATCH /api/sessions/{ref}', { params: { ref }, body }), (session) => {
    sayDone(session)
    if (more) say(paint('dim', more))
  })
}

async function changeModel(cli: Cli, ref: string, [model = '']: string[]): Promise<void> {
  if (model !== 'default') await checkModel(await connect(cli), model)
  await change(cli, ref, { model: model === 'default' ? null : model })
}

async function operate(cli: Cli, ref: string, name: (typeof operations)[number][0]): Promise<void> {
  const client = await connect(cli)
  tell(cli, await client.call(`POST /api/sessions/{ref}/${name}`, { params: { ref } }), sayDone)
}

async function switchTo(cli: Cli, ref: string, [agent = '', message]: string[]): Promise<void> {
  const client = await connect(cli)
  const body = { agent, ...(message ? { message } : {}), clientId: newId('cli') }
  tell(cli, await client.call('POST /api/sessions/{ref}/switch', { params: { ref }, body }), sayWhere)
}

async function back(cli: Cli, ref: string, [summary]: string[]): Promise<void> {
  const client = await connect(cli)
  const body = { ...(summary ? { summary } : {}), clientId: newId('cli') }
  const session = await client.call('POST /api/sessions/{ref}/back', { params: { ref }, body })
  tell(cli, session, () => sayWhere({ session }))
}

async function fork(cli: Cli, ref: string, _words: string[], { at, title }: Options): Promise<void> {
  const client = await connect(cli)
  const body = { ...(at ? { at: /^\d+$/.test(at) ? Number(at) : at } : {}), ...(title ? { title } : {}) }
  tell(cli, await client.call('POST /api/sessions/{ref}/fork', { params: { ref }, body }), (session) => {
    sayDone(session)
    if (session.mode !== 'chat') return
    say(paint('dim', `It is now the latest of ${session.agent}: "${troupe} send ${session.agent} …" goes here.`))
    say(paint('dim', `To the one it came from: ${troupe} send ${ref} …`))
  })
}

async function remove(cli: Cli, ref: string, _words: string[], { yes }: { yes?: true }): Promise<void> {
  const client = await connect(cli)
  if (!yes && !cli.json && atTerminal()) {
    const { title, messageCount, handle } = await client.call('GET /api/sessions/{ref}', { params: { ref } })
    const message = `Delete ${handle} ${oneLine(title, 50)} with ${messageCount} messages? It cannot be taken back.`
    if (!(await confirmed(message, false)))
      throw new Failure(exits.failed, 'Nothing was deleted.', { code: 'cli.declined' })
  }
  tell(cli, await client.call('DELETE /api/sessions/{ref}', { params: { ref } }), (session) => {
    say(`${paint('green', '✓')} ${session.handle} is deleted.`)
  })
}

const sayDone = (session: Session): void =>
  say(
    `${paint('green', '✓')} ${session.handle} ${oneLine(session.title, 50)} (${session.status}${session.model ? `, ${session.model}` : ''})`,
  )

const sayWhere = ({ session }: { session: Session }): void => {
  say(`${paint('green', '✓')} ${session.handle} ${session.agent} ${oneLine(session.title, 50)}`.trimEnd())
  say(paint('dim', `Go on there: ${troupe} chat --session ${session.handle}`))
}

function countOf(option: string, text = ''): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw usage(`${option} must be a number above 0, not "${text}".`)
  return count
}
