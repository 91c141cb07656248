import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { putFile } from '../kit/files.ts'
import { kitServer, openHttpMcp, planOf } from '../kit/mcp.ts'
import { atRest } from '../kit/records.ts'
import { ask, spawn } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

/** One secret for each place in which people keep one. */
const canary = {
  variable: 'canary-variable-4f7a1c9e2b',
  database: 'canary-database-1b8e3d6f0a',
  providerVariable: 'canary-provider-variable-9d2c',
  plainVariable: 'canary-plain-variable-7e5b3a',
  providerKey: 'canary-provider-key-8d3e5b7a',
  account: 'canary-account-2c6f9d4e8b1a',
  header: 'canary-header-7b1d3f5a9c0e',
  bearer: 'canary-bearer-6a4c2e8f1d3b',
  searchKey: 'canary-search-key-3f9b5d7c',
  serverHeader: 'canary-server-header-5d8a2f6c',
  serverVariable: 'canary-server-variable-0e7b4c',
  gitToken: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
  webToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeQ',
  cloudKey: 'AKIACANARYCANARY1234',
}
const names = Object.keys(canary) as (keyof typeof canary)[]
const spoken = Object.values(canary).join(' ')
const found = (text: string): string[] => names.filter((name) => text.includes(canary[name]))

const env = {
  MY_SERVICE_TOKEN: canary.variable,
  OTHER_DATABASE_URL: `postgres://me:${canary.database}@db.example/x`,
  LAB_KEY: canary.providerVariable,
  ORDINARY: canary.plainVariable,
}

/** A page and a search that repeat every secret there is. */
async function openGossip(): Promise<string> {
  const results = [{ title: spoken, url: 'https://example.com', content: spoken }]
  const server = createServer(({ url = '' }, response) => {
    response.end(url.startsWith('/search') ? JSON.stringify({ results }) : `<p>${spoken}</p>`)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function everyRow({ server }: World): Promise<[string, string][]> {
  const { read } = server.core.store
  const tables = await read.introspection.getTables()
  return Promise.all(
    tables.map(async ({ name }): Promise<[string, string]> => {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(read)
      return [`table ${name}`, JSON.stringify(rows)]
    }),
  )
}

async function everyAnswer(world: World): Promise<[string, string][]> {
  const { items } = await world.ok<{ items: { id: string }[] }>('GET', '/api/sessions?limit=200')
  const parts = ['', '/messages', '/prompt', '/tools', '/export', '/export?format=jsonl', '/recording']
  const paths = [
    ...['models', 'accounts', 'settings', 'status', 'cost', 'inbox', 'events?limit=200', 'mcp', 'mcp/kit/log'],
    ...items.flatMap(({ id }) => parts.map((part) => `sessions/${id}${part}`)),
  ]
  return Promise.all(
    paths.map(async (path): Promise<[string, string]> => [path, (await world.call('GET', `/api/${path}`)).text]),
  )
}

/** All files of the data folder, backups and logs too, but those in which the person wrote a secret down. */
const everyFile = (home: string): [string, string][] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'settings.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file, readFileSync(file, 'latin1')])

const leaks = (places: readonly [string, string][]): string[] =>
  places.flatMap(([where, text]) => found(text).map((name) => `${name} in ${where}`))

describe.each(stores)('fourteen secrets on %s', (store) => {
  test('are in no row, answer, file, log, backup or recording, and in the environment of no command', async () => {
    const gossip = await openGossip()
    const far = await openHttpMcp({ tells: spoken })
    const world = await createWorld({
      store,
      env,
      provider: {
        apiKey: '$LAB_KEY',
        headers: { 'x-team': canary.header, authorization: `Bearer ${canary.bearer}`, 'x-plain': '$ORDINARY' },
        accounts: [
          { name: 'second', apiKey: canary.providerKey },
          { name: 'third', apiKey: canary.account },
        ],
      },
      settings: {
        permissions: { allow: ['bash', 'mcp:*', 'web_search', `web_fetch(${gossip})`] },
        mcpServers: {
          far: { url: far.url, headers: { 'x-team': canary.serverHeader } },
          kit: kitServer('plan.json', { env: { GIVEN: canary.serverVariable } }),
        },
        webSearch: { provider: 'searxng', baseURL: `http://${gossip}`, apiKey: canary.searchKey },
      },
      files: { ...cast('ann', 'ben'), 'notes.txt': spoken, 'plan.json': planOf('env') },
    })
    const look = 'env; set; export -p; cat /proc/self/environ; cat notes.txt'
    world.vendor.queue(
      { model: 'ann' },
      {
        text: spoken,
        calls: [
          { name: 'bash', input: { command: 'env > env.txt; cat /proc/self/environ >> env.txt' } },
          { name: 'bash', input: { command: look } },
          { name: 'read_file', input: { path: 'notes.txt' } },
          { name: 'web_fetch', input: { url: `http://${gossip}/page` } },
          { name: 'web_search', input: { query: 'secrets' } },
          { name: 'mcp__far__tell', input: {} },
          { name: 'mcp__kit__env', input: {} },
        ],
      },
      { calls: [ask('ben', spoken), spawn('ben', spoken)] },
      { text: `That was ${spoken}` },
      { error: { kind: 'bad-request', message: `Bad: ${spoken}` } },
    )
    world.vendor.queue({ model: 'ben' }, { text: spoken }, { text: spoken })
    const ann = await world.session({ agent: 'ann' })
    expect(await world.say(ann.id, `Take ${spoken}`)).toMatchObject({ end: 'done' })
    expect(await world.say(ann.id, 'Again')).toMatchObject({ end: 'error' })
    await atRest(world)

    // They were really there: in the file, on the page and in the answers of the search.
    const results = (await world.results(ann.id)).map((one) => JSON.stringify(one))
    expect(results.filter((text) => text.includes('[secret]')).length).toBeGreaterThanOrEqual(6)
    // What is masked in the log might still have been given to a command, so its own file is looked into.
    const given = readFileSync(join(world.project, 'env.txt'), 'latin1')
    expect(given).toContain('PATH=')
    expect(found(given)).toEqual([])

    const { text } = await world.call('GET', `/api/sessions/${ann.id}/recording`)
    putFile(join(world.project, '.troupe', 'recordings', 'talk.jsonl'), text)
    expect(found(text)).toEqual([])
    await world.say((await world.session({ agent: 'ann', model: 'replay/talk' })).id, `Take ${spoken}`)
    await atRest(world)
    if (store === 'sqlite') await world.ok('POST', '/api/backup')

    expect(leaks(await everyRow(world))).toEqual([])
    expect(leaks(await everyAnswer(world))).toEqual([])
    // A key goes to its own vendor in a header; what is said there has none.
    const told = world.vendor.requests.map(({ system, messages }) => ({ system, messages }))
    expect(found(JSON.stringify(told))).toEqual([])
    await world.server.stop()
    expect(leaks(everyFile(world.home))).toEqual([])
  })
})
