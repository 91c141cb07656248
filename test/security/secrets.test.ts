import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorld } from '../kit/world.ts'

const canaries = {
  ANTHROPIC_API_KEY: 'canary-anthropic-7d0c1f',
  MY_SERVICE_TOKEN: 'canary-token-58a1e2',
  DB_PASSWORD: 'canary"with\\quotes-91',
  BACKUP_URL: 'https://me:canary-in-url-33@host.example/x',
}
const inSettings = 'canary-provider-key-02'
const inHeader = 'canary-header-value-44'
const shaped = [
  'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
  'AKIAIOSFODNN7EXAMPLE',
  'sk-ant-api03-abcdefghijklmnopqrstuvwxyz',
]

test('what a command prints is hidden from the log, the events, the inbox and the export', async () => {
  const other = {
    type: 'openai-compatible',
    baseURL: 'http://127.0.0.1:9/v1',
    apiKey: inSettings,
    headers: { authorization: `Bearer ${inHeader}` },
  }
  const world = await createWorld({ env: canaries, settings: { permissions: { allow: ['bash', 'read_file'] } } })
  await world.ok('PATCH', '/api/settings', { where: 'home', changes: { 'providers.other': other } })
  const all = [...Object.values(canaries), ...shaped, inSettings, inHeader]
  writeFileSync(join(world.project, 'notes.txt'), all.join('\n'))
  world.vendor.reply(
    {
      calls: [
        { name: 'bash', input: { command: 'cat notes.txt; env; set; export -p; cat /proc/self/environ' } },
        { name: 'read_file', input: { path: 'notes.txt' } },
      ],
    },
    { text: `It says ${shaped[0]} and more.` },
  )
  const session = await world.session({ agent: 'coder' })
  const reply = await world.say(session.id, 'Look around')
  expect(reply.reply).toBe('It says [secret] and more.')
  expect(String(await world.results(session.id))).toContain('[secret]')
  const exported = await world.request('GET', `/api/sessions/${session.id}/export`)
  expect(found(JSON.stringify(exported.body))).toEqual([])
  expect(found(JSON.stringify(await world.events(session.id)))).toEqual([])
  expect(found(JSON.stringify(world.vendor.requests))).toEqual([])
  await world.server.stop()
  expect(hits(world.home)).toEqual([])
})

test('data files are the owner’s alone', async () => {
  const world = await createWorld()
  await world.session()
  for (const name of ['token', 'data.db', 'server.json', 'server.sock', 'logs/troupe.log'])
    expect([name, (statSync(join(world.home, name)).mode & 0o077).toString(8)]).toEqual([name, '0'])
})

const secrets = [
  inSettings,
  inHeader,
  ...Object.values(canaries).filter((value) => !value.startsWith('https')),
  'canary-in-url-33',
  ...shaped,
]

const found = (text: string): string[] =>
  secrets.filter((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))

/** Files of the data folder that hold one of them; settings.json is where the person wrote two. */
function hits(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'settings.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => found(readFileSync(file, 'latin1')).length > 0)
}

test('the key of a provider that a trusted project brings is hidden like any other', async () => {
  const key = 'canary-project-key-77'
  const provider = { type: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1', apiKey: key }
  const world = await createWorld({
    files: { '.troupe/settings.json': JSON.stringify({ providers: { own: provider } }) },
  })
  const { hash } = await world.ok<{ hash: string }>('GET', '/api/trust')
  await world.ok('POST', '/api/trust', { trusted: true, hash })
  writeFileSync(join(world.project, 'notes.txt'), key)
  world.vendor.reply({ calls: [{ name: 'read_file', input: { path: 'notes.txt' } }] }, { text: `It says ${key}` })
  const session = await world.session({ agent: 'coder' })
  expect(await world.say(session.id, 'Read it')).toMatchObject({ reply: 'It says [secret]' })
  expect(JSON.stringify(await world.messages(session.id))).not.toContain(key)
})
