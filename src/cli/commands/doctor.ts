import { createServer } from 'node:net'
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Problem } from '../../contract/agents.ts'
import type { WebSearchSettings } from '../../contract/settings.ts'
import { programVersion } from '../../lib/process/programs.ts'
import { isSoundSqlite, loadedSqlite } from '../../lib/sqlite-version.ts'
import { troupe } from '../called.ts'
import { wrapWords } from '../chat/cells.ts'
import { action, type Cli } from '../cli.ts'
import { clientOf } from '../connect.ts'
import { defaultModel, isDemo, modelTroubles } from '../default-model.ts'
import { type Exit, exits, failureOf } from '../failure.ts'
import { keysFound } from '../keys.ts'
import { paint, say, tell } from '../print.ts'
import { inLines } from '../problems.ts'
import { findServer, reachServer } from '../server.ts'
import { type Check, folderChecks } from './doctor-folders.ts'

export default function define(command: Command): void {
  command.option('--fix', 'repair what can be repaired here').action(action(doctor))
}

async function doctor(cli: Cli, { fix }: { fix?: boolean }): Promise<Exit> {
  const checks = [
    node(),
    sqlite(),
    await program('git', 'bad', 'Install it: agents work on copies of repositories with it.'),
    await program('rg', 'note', 'Install ripgrep: searching works without it, slower.'),
    await agentCommands(),
    keys(cli),
    ...folderChecks(cli, fix ?? false),
    await port(cli),
    ...(await fromTheServer(cli)),
  ]
  const bad = checks.filter(({ state }) => state === 'bad').length
  tell(cli, { ok: bad === 0, checks }, () => {
    for (const check of checks) sayCheck(check)
    say(`\n${verdict(checks, bad)}`)
  })
  return bad === 0 ? exits.ok : exits.failed
}

function verdict(checks: readonly Check[], bad: number): string {
  const fixed = checks.filter(({ state }) => state === 'fixed').length
  const done = fixed > 0 ? `${fixed} repaired. ` : ''
  return bad === 0
    ? `${done}Everything that is needed is there.`
    : `${done}${bad === 1 ? 'One thing needs you.' : `${bad} things need you.`}`
}

const marks = {
  ok: paint('green', '✓'),
  note: paint('yellow', '!'),
  bad: paint('red', '✗'),
  fixed: paint('green', '+'),
}

/** The advice has a line of its own. Long lines break between words and go on below their beginning. */
function sayCheck(check: Check): void {
  const margin = ' '.repeat(WHAT + 2)
  const width = Math.max(20, (process.stdout.columns || 200) - WHAT - 3)
  const [first = '', ...more] = wrapWords(check.found, width)
  say(`${marks[check.state]} ${check.what.padEnd(WHAT)}${first}`)
  for (const line of more) say(margin + line)
  if (!check.do) return
  wrapWords(check.do, width - 2).forEach((line, at) => {
    say(paint('dim', `${margin}${at === 0 ? '→' : ' '} ${line}`))
  })
}

const WHAT = 12

function node(): Check {
  return { what: 'node', state: 'ok', found: process.versions.node }
}

function sqlite(): Check {
  const found = loadedSqlite()
  if (isSoundSqlite(found)) return { what: 'sqlite', state: 'ok', found }
  return {
    what: 'sqlite',
    state: 'bad',
    found,
    do: 'Take a newer Node 24: its SQLite has to be 3.51.3 or newer, 3.50.7 or 3.44.6.',
  }
}

async function program(name: string, without: 'note' | 'bad', advice: string): Promise<Check> {
  const found = await programVersion(name)
  return found ? { what: name, state: 'ok', found } : { what: name, state: without, found: 'not found', do: advice }
}

/** Command-line agents that could be members of a team; none is needed. */
async function agentCommands(): Promise<Check> {
  const found = await Promise.all(
    ['claude', 'codex', 'gemini', 'opencode'].map(async (name) => ((await programVersion(name)) ? [name] : [])),
  )
  return { what: 'agent CLIs', state: 'ok', found: found.flat().join(', ') || 'none found, none needed' }
}

function keys(cli: Cli): Check {
  const found = keysFound(cli.env).map(({ variable }) => variable)
  if (found.length > 0) return { what: 'keys', state: 'ok', found: found.join(', ') }
  const advice =
    'Export one, such as ANTHROPIC_API_KEY, unless your settings name a provider. Without either the scripted demo model answers.'
  return { what: 'keys', state: 'note', found: 'none in the environment', do: advice }
}

async function port(cli: Cli): Promise<Check> {
  const server = await findServer(cli.home)
  if (server) return { what: 'port', state: 'ok', found: `${server.url} is served by pid ${server.pid}` }
  const wanted = Number(cli.env.TROUPE_PORT) || 4747
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(wanted, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
  if (free) return { what: 'port', state: 'ok', found: `${wanted} is free` }
  return {
    what: 'port',
    state: 'note',
    found: `${wanted} is taken`,
    do: `Commands take a free port by themselves; for "${troupe} up" choose one with --port.`,
  }
}

/**
 * What only the server knows. One that does not start is a finding, not the end of the examination; one that was started
 * for the examination ends with it.
 */
async function fromTheServer(cli: Cli): Promise<Check[]> {
  try {
    const before = await findServer(cli.home)
    const { url, token, pid } = await reachServer(cli)
    const client = clientOf(cli, url, token)
    const checks = await examine(cli, client, before ? `${url} (pid ${pid})` : 'it starts; none runs now')
    if (!before) await client.call('POST /api/shutdown')
    return checks
  } catch (thrown) {
    const { message, hint } = failureOf(thrown)
    return [{ what: 'server', state: cli.start ? 'bad' : 'note', found: message, ...(hint ? { do: hint } : {}) }]
  }
}

const examine = async (cli: Cli, client: Client, found: string): Promise<Check[]> => [
  { what: 'server', state: 'ok', found },
  await model(cli, client),
  await trust(client),
  await sandbox(client),
  await search(cli, client),
  await mcp(client),
  await data(client),
  ...(await problems(cli, client)),
]

async function model(cli: Cli, client: Client): Promise<Check> {
  const { name, trouble, remark } = await defaultModel(cli, client)
  const what = 'model'
  if (trouble)
    return {
      what,
      state: 'bad',
      found: `${name}: ${trouble}`,
      do: `Mend that, or choose another from "${troupe} models".`,
    }
  if (isDemo(name))
    return {
      what,
      state: 'note',
      found: `${name} (${remark})`,
      do: `${cli.env.OLLAMA_HOST ? 'Start Ollama there with a model pulled; or set' : 'Set'} a key, then "${troupe} down".`,
    }
  return { what, state: remark ? 'note' : 'ok', found: remark ? `${name} (${remark})` : name }
}

async function trust(client: Client): Promise<Check> {
  const { trusted, acting } = await client.call('GET /api/trust')
  if (trusted) return { what: 'trust', state: 'ok', found: 'this project is trusted' }
  if (acting.length === 0) return { what: 'trust', state: 'ok', found: 'this project has nothing that acts' }
  return {
    what: 'trust',
    state: 'note',
    found: `${acting.length} acting parts have no effect yet`,
    do: `Look at them with "${troupe} trust".`,
  }
}

async function sandbox(client: Client): Promise<Check> {
  const { sandbox: state } = await client.call('GET /api/status')
  const found = `${state.mode}; limited: ${state.limits}`
  if (state.unavailable)
    return {
      what: 'sandbox',
      state: 'bad',
      found: `${state.mode}, but ${state.reason}`,
      do: 'Until then no command runs.',
    }
  if (state.reason !== undefined) return { what: 'sandbox', state: 'note', found, do: state.reason }
  return { what: 'sandbox', state: 'ok', found }
}

async function search(cli: Cli, client: Client): Promise<Check> {
  const { items } = await client.call('GET /api/settings')
  const set = items.find(({ key }) => key === 'webSearch')?.value as WebSearchSettings | undefined
  const what = 'web search'
  if (set === undefined)
    return { what, state: 'ok', found: 'none set, none needed; "webSearch" in the settings names one' }
  const { provider, apiKey, baseURL } = set
  const found = [provider, baseURL && `at ${baseURL}`, apiKey && `with ${apiKey.startsWith('$') ? apiKey : 'its key'}`]
  const missing = apiKey === undefined ? provider !== 'searxng' : apiKey.startsWith('$') && !cli.env[apiKey.slice(1)]
  if (!missing) return { what, state: 'ok', found: found.filter(Boolean).join(' ') }
  const how = apiKey === undefined ? 'Set webSearch.apiKey.' : `Export ${apiKey.slice(1)} before the server starts.`
  return { what, state: 'note', found: `${provider} has no key here`, do: how }
}

/** As far as it is known: nothing is started to find out. */
async function mcp(client: Client): Promise<Check> {
  const servers = await client.all('GET /api/mcp')
  const what = 'MCP'
  if (servers.length === 0) return { what, state: 'ok', found: 'no servers, none needed' }
  const bad = servers.filter(({ state }) => state === 'down' || state === 'login')
  const found = servers.map(({ name, state }) => `${name} (${state})`).join(', ')
  if (bad.length === 0) return { what, state: 'ok', found }
  const [first] = bad
  const how = first?.state === 'login' ? `${troupe} mcp login ${first.name}` : `${troupe} mcp test ${first?.name}`
  return { what, state: 'note', found, do: how }
}

/** Rows that could not be read since the server started; this does not search for more. */
async function data(client: Client): Promise<Check> {
  const { unreadable } = await client.call('GET /api/status')
  if (unreadable.length === 0) return { what: 'data', state: 'ok', found: 'all that was read could be read' }
  const places = unreadable.map(({ table, key, column }) => `${table} ${key} (${column})`)
  return {
    what: 'data',
    state: 'bad',
    found: `cannot be read: ${places.join(', ')}`,
    do: 'The rest is served. Go back to a backup, or delete the session that it belongs to.',
  }
}

async function problems(cli: Cli, client: Client): Promise<Check[]> {
  const agents = await client.all('GET /api/agents')
  const settings = await client.call('GET /api/settings')
  const models = await client.all('GET /api/models')
  const checks = [
    ...agents.flatMap((agent) => inLines(agent.problems).map((found) => ({ found, bad: agent.broken }))),
    ...modelTroubles(agents, models, cli.env).map(({ name, trouble }) => ({
      found: `${name}: ${trouble}`,
      bad: false,
    })),
    ...inLines(settings.problems.filter(isUnreadable)).map((found) => ({ found, bad: true })),
    ...inLines(settings.problems.filter((problem) => !isUnreadable(problem))).map((found) => ({ found, bad: false })),
  ]
  if (checks.length === 0) return [{ what: 'definitions', state: 'ok', found: `${agents.length} agents, no problems` }]
  return checks.map(({ found, bad }) => ({ what: 'definitions', state: bad ? 'bad' : 'note', found }))
}

/** A problem without a field is about the whole file: nothing in it holds. */
const isUnreadable = ({ field }: Problem): boolean => !field
