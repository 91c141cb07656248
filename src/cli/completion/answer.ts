import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Argument, type Command, Option } from 'commander'
import { type Client, createClient } from '../../client/client.ts'
import { fetchTransport } from '../../client/transport.ts'
import { action, type Cli } from '../cli.ts'
import { oneLine, say } from '../print.ts'
import { isAlive, readServerFile } from '../server.ts'
import { type CompletionPlace, findPlace, optionsOf } from './place.ts'

interface Candidate {
  readonly value: string
  readonly what: string
}

const LIMIT = 200

/** Answers a shell that completes a line. It prints nothing on stderr, starts no server, and offers nothing if late. */
export default function define(command: Command, load: (command: Command) => Promise<void>): void {
  command.argument('[words...]').action(
    action(async (cli, words: string[]) => {
      const place = await findPlace(command.parent ?? command, words, load)
      if (isPath(place.expects)) return say(':files')
      const found = [...named(place), ...(await known(inPlace(cli, place), place))]
      for (const { value, what } of found.filter(({ value }) => value.startsWith(place.typed)).slice(0, LIMIT)) {
        say(`${place.before}${value}\t${oneLine(what)}`)
      }
    }),
  )
}

/** What the program itself knows: options, commands, fixed choices. */
function named({ command, typed, given, expects, mayBeCommand, mayBeOption }: CompletionPlace): Candidate[] {
  if (mayBeOption && typed.startsWith('-')) {
    return optionsOf(command)
      .filter((option) => !given.has(option))
      .map((option) => ({ value: option.long ?? option.short ?? '', what: option.description }))
  }
  const commands = mayBeCommand ? command.createHelp().visibleCommands(command) : []
  return [
    ...commands.map((it) => ({ value: it.name(), what: it.description() })),
    ...(expects?.argChoices ?? []).map((value) => ({ value, what: '' })),
  ]
}

/** The line being typed may name another data folder or project than the shell is in. */
const inPlace = (cli: Cli, { values }: CompletionPlace): Cli => ({
  ...cli,
  home: values.home === undefined ? cli.home : resolve(values.home),
  project: values.project === undefined ? cli.project : resolve(values.project),
})

const isPath = (expects: CompletionPlace['expects']): boolean => /^(dir|folder|file|path)$/.test(placeholderOf(expects))

/** What only the server knows. The word in this place of the usage line, such as `agent`, says what is wanted. */
async function known(cli: Cli, { command, expects, typed, mayBeOption }: CompletionPlace): Promise<Candidate[]> {
  if (!expects || (mayBeOption && typed.startsWith('-'))) return []
  const word = placeholderOf(expects)
  const topic = expects instanceof Option ? expects.attributeName() : (command.parent?.name() ?? '')
  const offers: Promise<Candidate[]>[] = []
  if (word === 'agent' || word === 'to' || (word === 'name' && /^agents?$/.test(topic))) offers.push(agents(cli))
  if (word === 'name' && topic === 'skills') offers.push(skills(cli))
  if (word === 'session' || word === 'ref' || word === 'to') offers.push(sessions(cli))
  if (word === 'task' || (word === 'ref' && command.name() === 'why')) offers.push(tasks(cli))
  if (word === 'run') offers.push(runs(cli))
  if (word === 'id' && (topic === 'inbox' || command.name() === 'answer')) offers.push(inbox(cli))
  return (await Promise.all(offers)).flat().filter(({ value }) => isHarmless(value))
}

const ANSWER_MS = 3000
const few = { timeoutMs: ANSWER_MS, query: { limit: LIMIT } }

const agents = (cli: Cli): Promise<Candidate[]> =>
  asked(cli, async (client) => {
    const { items } = await client.call('GET /api/agents', few)
    return items.map(({ name, description }) => ({ value: name, what: description }))
  })

const skills = (cli: Cli): Promise<Candidate[]> =>
  asked(cli, async (client) => {
    const { items } = await client.call('GET /api/skills', few)
    return items.map(({ name, description }) => ({ value: name, what: description }))
  })

const sessions = (cli: Cli): Promise<Candidate[]> =>
  asked(cli, async (client) => {
    const { items } = await client.call('GET /api/sessions', few)
    return items.map((it) => ({ value: it.handle, what: `${it.agent}: ${it.title}` }))
  })

const tasks = (cli: Cli): Promise<Candidate[]> =>
  asked(cli, async (client) => {
    const { items } = await client.call('GET /api/tasks', few)
    return items.map(({ id, agent, status, input }) => ({ value: id, what: `${agent}, ${status}: ${input.prompt}` }))
  })

const runs = (cli: Cli): Promise<Candidate[]> =>
  asked(cli, async (client) => {
    const { items } = await client.call('GET /api/runs', few)
    return items.map(({ id, status, title }) => ({ value: id, what: `${status}: ${title}` }))
  })

const inbox = (cli: Cli): Promise<Candidate[]> =>
  asked(cli, async (client) => {
    const query = { ...few.query, status: 'open', project: '*' } as const
    const { items } = await client.call('GET /api/inbox', { ...few, query })
    return items.map(({ id, title }) => ({ value: id, what: title }))
  })

/** Nobody wants to wait after Tab: without a server, or with a slow one, nothing is offered. */
async function asked(cli: Cli, ask: (client: Client) => Promise<Candidate[]>): Promise<Candidate[]> {
  // The token of a session may not list these, and the owner's token is not used in its place.
  const server = cli.acting ? undefined : readServerFile(cli.home)
  if (!server || !isAlive(server.pid)) return []
  try {
    const token = readFileSync(join(cli.home, 'token'), 'utf8').trim()
    return await ask(createClient({ transport: fetchTransport(server.url), token, project: cli.project }))
  } catch {
    return []
  }
}

/** A value is put into a command line, so nothing is offered that a shell could act on. */
const isHarmless = (value: string): boolean => /^\w[\w.-]*$/.test(value)

const placeholderOf = (expects: Option | Argument | undefined): string => {
  if (!expects) return ''
  return expects instanceof Option ? (/[<[]([\w-]+)/.exec(expects.flags)?.[1] ?? '') : expects.name()
}
