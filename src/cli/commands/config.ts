import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Setting, SettingsView } from '../../contract/settings.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure, usage } from '../failure.ts'
import { note, paint, say, tell } from '../print.ts'
import { inLines } from '../problems.ts'
import { table } from '../table.ts'
import { checkModel } from './models.ts'

/** A setting. `because` explains a default that is not a constant. */
interface Explained extends Setting {
  readonly because?: string
}

interface ExplainedSettings extends SettingsView {
  readonly items: Explained[]
}

interface Where {
  where: string
}

const places = ['home', 'project', 'project-local'] as const
type Place = (typeof places)[number]

const isPlace = (word: string): word is Place => places.some((place) => place === word)

export default function define(command: Command): void {
  const where = ['--where <place>', `${places.join(', ')}: which file is written`, 'home'] as const
  command.command('list', { isDefault: true }).description('every value and where it comes from').action(action(list))
  command.command('get').argument('<key>').description('one value').action(action(get))
  command.command('where').argument('<key>').description('the file a value comes from').action(action(whereIs))
  command
    .command('set')
    .argument('<key>')
    .argument('<value>', 'JSON, or plain text')
    .option(...where)
    .description('write a value')
    .action(action((cli, key: string, value: string, options: Where) => change(cli, key, parsed(value), options)))
  command
    .command('unset')
    .argument('<key>')
    .option(...where)
    .description('remove a value')
    .action(action((cli, key: string, options: Where) => change(cli, key, null, options)))
}

async function list(cli: Cli): Promise<void> {
  const view = await read(await connect(cli))
  tell(cli, view, () => {
    const rows = view.items.map(({ key, value, source, file, because }) => ({
      key,
      value: JSON.stringify(value),
      from: file ?? because ?? source,
    }))
    table(rows, 'Nothing is set.')
    for (const line of inLines(view.problems)) say(`${paint('yellow', '!')} ${line}`)
  })
}

async function get(cli: Cli, key: string): Promise<void> {
  tell(cli, await find(await connect(cli), key), (found) => {
    for (const { key: name, value } of found)
      say(found.length === 1 && name === key ? inWords(value) : `${name} = ${inWords(value)}`)
    for (const { because } of found) if (because) note(`Nobody set it: ${because}.`)
  })
}

async function whereIs(cli: Cli, key: string): Promise<void> {
  tell(cli, await find(await connect(cli), key), (found) => {
    for (const { key: name, source, file, because = file } of found)
      say(`${name}: ${source}${because ? ` (${because})` : ''}`)
  })
}

async function change(cli: Cli, key: string, value: unknown, { where }: Where): Promise<void> {
  if (!isPlace(where)) throw usage(`--where must be one of ${places.join(', ')}, not "${where}".`)
  const client = await connect(cli)
  if (/^(default|small)Model$/.test(key) && typeof value === 'string') await checkModel(client, value)
  await client.call('PATCH /api/settings', { body: { where, changes: { [key]: value } } })
  const { items, problems } = await read(client)
  const now = items.filter((item) => belongs(item, key))
  tell(cli, { items: now }, () => {
    const [first] = now
    if (now.length === 1 && first)
      say(
        `${paint('green', '✓')} ${first.key} = ${inWords(first.value)} (${first.file ?? first.because ?? first.source})`,
      )
    else say(`${paint('green', '✓')} ${key} ${value === null ? 'removed' : 'written'}.`)
    for (const line of inLines(problems.filter(({ field }) => field === key))) note(line)
  })
}

async function read(client: Client): Promise<ExplainedSettings> {
  const view = await client.call('GET /api/settings')
  if (view.items.some(({ key }) => key === 'defaultModel')) return view
  const items = [...view.items, ...(await modelFound(client))].sort((a, b) => (a.key < b.key ? -1 : 1))
  return { ...view, items }
}

/** Until somebody chooses a default model, it depends on which providers were found. */
async function modelFound(client: Client): Promise<Explained[]> {
  const chosen = (await client.all('GET /api/models')).find(({ isDefault }) => isDefault)
  if (!chosen) return []
  const because =
    chosen.provider === 'demo'
      ? 'no provider can be used, so the scripted demo answers'
      : `the first model of the first provider that can be used, ${chosen.provider}`
  return [{ key: 'defaultModel', value: chosen.name, source: 'default', because }]
}

const belongs = (item: Explained, key: string): boolean => item.key === key || item.key.startsWith(`${key}.`)

async function find(client: Client, key: string): Promise<Explained[]> {
  const { items } = await read(client)
  const found = items.filter((item) => belongs(item, key))
  if (found.length > 0) return found
  throw new Failure(exits.failed, `Nothing is set under "${key}".`, {
    code: 'settings.not_set',
    hint: `See all values with "${troupe} config list"; the guide lists every key.`,
  })
}

const inWords = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
