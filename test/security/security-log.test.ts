import { linkSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Device } from '../../src/contract/devices.ts'
import { openSecurityLog } from '../../src/http/guard/security-log.ts'
import { cast, requestAs } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { putFile } from '../kit/files.ts'
import { makeFolders } from '../kit/folders.ts'
import { spawn } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const linesOf = (home: string): { message: string; route: string; reason: string }[] =>
  readFileSync(join(home, 'logs', 'security.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const logged = (world: World, what: string) => linesOf(world.home).filter(({ message }) => message === what)

const bash = (command: string) => ({ name: 'bash', input: { command } })

describe.each(storesInTurn(import.meta.filename))('the security log on %s', (store) => {
  test('has every command that an agent starts, and every call that was refused, without secrets', async () => {
    const canary = 'canary-token-58a1e2'
    const world = await createWorld({
      store,
      env: { MY_TOKEN: canary },
      settings: { permissions: { allow: ['bash'], deny: ['bash(rm*)', 'agent_send'] } },
    })
    const command = `echo ${canary} ${'x '.repeat(40)}`
    world.vendor.reply(
      { calls: [bash(command)] },
      { calls: [bash('rm -rf x'), { name: 'fly', input: {} }] },
      { text: '.' },
    )
    const session = await world.session({ agent: 'coder' })
    await world.say(session.id, 'Go')
    await requestAs(world, session, 'POST', '/api/mail', { to: 'writer', content: 'Hi' })
    const where = `session ${session.id.slice(0, 8)} coder`
    expect(logged(world, 'command')).toMatchObject([{ route: where, reason: command.replace(canary, '[secret]') }])
    expect(logged(world, 'tool.denied')).toMatchObject([
      { route: where, reason: expect.stringMatching(/^bash: Not permitted: rule deny "bash\(rm\*\)"/) },
      { route: where, reason: expect.stringMatching(/^fly: There is no tool/) },
    ])
    expect(logged(world, 'permission.denied')).toMatchObject([
      {
        route: 'POST /api/mail',
        from: `session ${session.id.slice(0, 8)}`,
        reason: expect.stringMatching(/^Not permitted/),
      },
    ])
    expect(JSON.stringify(linesOf(world.home))).not.toContain(canary)
  })

  test('has what a tool itself refused: links and patterns that lead out, folders and agents out of reach', async () => {
    const world = await createWorld({
      store,
      files: { ...cast({ ann: { agents: { deny: ['ben'] } }, ben: {} }), a: 'a' },
    })
    linkSync(join(world.project, 'a'), join(world.project, 'b'))
    const calls = [
      { name: 'write_file', input: { path: 'b', content: 'x' } },
      { name: 'glob', input: { pattern: '../**' } },
      { name: 'agent_spawn', input: { agent: 'ann', instruction: 'Go', workspace: '/' } },
      { name: 'agent_spawn', input: { agent: 'ben', instruction: 'Go' } },
      { name: 'agent_send', input: { to: 'ben', message: 'Hi' } },
      { name: 'agent_message', input: { to: 'ben', message: 'Hi?' } },
    ]
    world.vendor.queue({ model: 'ann' }, { calls }, { text: '.' })
    const session = await world.session({ agent: 'ann' })
    await world.say(session.id, 'Go')
    const lines = logged(world, 'tool.denied')
    expect(lines.map(({ reason }) => reason.split(':')[0])).toEqual(calls.map(({ name }) => name))
    expect(new Set(lines.map(({ route }) => route))).toEqual(new Set([`session ${session.id.slice(0, 8)} ann`]))
  })

  test('an approval shows who asked whom down to the call, to the person and in the log', async () => {
    const world = await createWorld({ store, files: cast({ lea: {}, mia: {}, cody: {} }) })
    world.vendor.queue({ model: 'lea' }, { calls: [spawn('mia', 'Have the tests run')] })
    world.vendor.queue({ model: 'mia' }, { calls: [spawn('cody', 'Run the tests')] })
    world.vendor.queue({ model: 'cody' }, { calls: [bash('make test')] })
    const lea = await world.session({ agent: 'lea' })
    await world.say(lea.id, 'See that it works')
    const [item] = await world.inbox()
    const [, , mia, cody] = /lea (\w{4,}).*→ mia (\w{4,}).*→ cody (\w{4,})/s.exec(item!.body) ?? []
    const chain = [
      `  the person → lea ${lea.handle}`,
      `  lea ${lea.handle} → mia ${mia}: Have the tests run`,
      `  mia ${mia} → cody ${cody}: Run the tests`,
    ].join('\n')
    expect(item!.waits[0]?.sessionId.startsWith(cody!)).toBe(true)
    expect(item!.body).toContain(`It goes back to:\n${chain}`)
    expect(logged(world, 'approval.asked')).toMatchObject([{ reason: expect.stringContaining(chain) }])
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { decision: 'deny' })
    const said = `${item!.id}: deny by human: cody wants to use bash`
    expect(logged(world, 'approval')).toMatchObject([{ reason: said }])
  })

  test('an approval of what the person asked for themselves goes without a chain', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [bash('make')] })
    await world.say((await world.session({ agent: 'coder' })).id, 'Go')
    expect((await world.inbox())[0]?.body).not.toContain('goes back to')
  })
})

test('a flood of one kind of line is cut and counted, and hides no other kind', () => {
  let at = 0
  const { core } = makeFolders()
  const log = openSecurityLog(core.home, { now: () => at })
  for (let count = 0; count < 400; count++) log('auth.wrong', 'GET /', 'no')
  log('trust', 'POST /api/trust', 'yes')
  at += 60_000
  log('auth.wrong', 'GET /', 'again')
  const kinds = linesOf(core.home).map(({ message }) => message)
  expect(kinds.filter((kind) => kind === 'auth.wrong')).toHaveLength(301)
  expect(kinds).toContain('trust')
  expect(linesOf(core.home)).toContainEqual(
    expect.objectContaining({ message: 'log.limited', reason: expect.stringContaining('100 lines of auth.wrong') }),
  )
})

test('a flood of commands turns out neither what was decided nor what was refused or asked', () => {
  const { core } = makeFolders()
  const file = join(core.home, 'logs', 'security.log')
  const kinds = [
    'trust',
    'device.added',
    'approval',
    'trigger',
    'approval.asked',
    'auth.wrong',
    'tool.denied',
    'permission.denied',
  ]
  const line = (message: string) => `${JSON.stringify({ at: '', level: 'warn', message, route: '', reason: '' })}\n`
  putFile(file, [...kinds.map(line), line('command').repeat(200_000)].join(''))
  openSecurityLog(core.home, core.clock)('command', 'session aaaa', 'ls')
  expect(linesOf(core.home).map(({ message }) => message)).toEqual([...kinds, 'command'])
  expect(statSync(`${file}.1`).size).toBeGreaterThan(10 * 1024 * 1024)
})

test('what was decided takes a quarter of the next file at most, the newest of it, and leaves the refused its own', () => {
  const { core } = makeFolders()
  const file = join(core.home, 'logs', 'security.log')
  const line = (message: string, reason: string) =>
    `${JSON.stringify({ at: '', level: 'warn', message, route: '', reason })}\n`
  const flood = Array.from({ length: 120_000 }, (_, at) => line('trust', `${at} ${'x '.repeat(15)}`))
  putFile(file, [line('tool.denied', 'the first'), ...flood].join(''))
  openSecurityLog(core.home, core.clock)('command', 'session aaaa', 'ls')
  const kept = linesOf(core.home).map(({ reason }) => reason)
  expect([kept[0], kept.at(-2)?.split(' ')[0], kept.at(-1)]).toEqual(['the first', '119999', 'ls'])
  expect(statSync(file).size).toBeLessThan(2.5 * 1024 * 1024 + 1000)
})

test('a word as long as a secret is cut to its first four characters, in the route, the source and the reason', () => {
  const { core } = makeFolders()
  const [short, long] = ['a'.repeat(31), 'b'.repeat(32)]
  openSecurityLog(core.home, core.clock)('auth.wrong', `GET /${short}/${long}`, `${long} ${short}`, long)
  expect(linesOf(core.home)).toMatchObject([{ route: `GET /${short}/bbbb…`, from: 'bbbb…', reason: `bbbb… ${short}` }])
})

test('one noisy source hides no other of the same kind, and many sources are bounded together', () => {
  const { core } = makeFolders()
  const log = openSecurityLog(core.home, core.clock)
  for (let count = 0; count < 400; count++) log('tool.denied', 'session aaaa noisy', 'no')
  log('tool.denied', 'session bbbb quiet', 'this one')
  const reasons = linesOf(core.home).map(({ reason }) => reason)
  expect(reasons.filter((reason) => reason === 'no')).toHaveLength(300)
  expect(reasons).toContain('this one')
  for (let count = 0; count < 2000; count++) log('auth.wrong', 'GET /', 'many', `address ${count}`)
  expect(linesOf(core.home).filter(({ reason }) => reason === 'many')).toHaveLength(16 + 300)
})

test('what was left out is said even when nothing follows', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { core } = makeFolders()
  const log = openSecurityLog(core.home, core.clock)
  for (let count = 0; count < 301; count++) log('auth.wrong', 'GET /', 'no', '10.0.0.1')
  vi.advanceTimersByTime(60_000)
  expect(linesOf(core.home).at(-1)?.reason).toBe(
    '1 lines of auth.wrong were left out in the minute before, from 10.0.0.1.',
  )
})

test('after a flood of junk whatever a person decides is still recorded, with who did it', async () => {
  const settings = { '.troupe/settings.json': '{"permissions":{"allow":["bash"]}}' }
  const garden = { '../home/agents/ann/heartbeats/garden.md': 'Water.' }
  const world = await createWorld({ files: { ...settings, ...cast('ann', 'ben'), ...garden } })
  for (let count = 0; count < 320; count++)
    await world.call('GET', `/api/${count}`, {
      headers: count % 2 ? { host: 'evil.example' } : { authorization: 'Bearer x' },
    })
  const { code } = await world.ok<{ code: string }>('POST', '/api/devices/code', {})
  const { token, device } = await world.ok<{ token: string; device: Device }>('POST', '/api/login', {
    code,
    name: 'new',
  })
  const as = { headers: { authorization: `Bearer ${token}` } }
  await world.call('POST', '/api/trust', { body: { trusted: true }, ...as })
  await world.call('POST', '/api/permissions', { body: { decision: 'allow', rule: 'bash(ls)' }, ...as })
  await world.call('PATCH', '/api/settings', {
    body: { where: 'home', changes: { 'permissions.deny': ['fly'], 'providers.x': { apiKey: 'a-key-nobody-sees' } } },
    ...as,
  })
  await world.call('PUT', '/api/agents/new', { body: { definition: {} }, ...as })
  await world.call('DELETE', '/api/agents/new', as)
  const action = { type: 'send', to: 'ann', message: 'Look' }
  const later = { type: 'delayed', config: { delaySeconds: 3600 } }
  const made = await world.call('POST', '/api/triggers', { body: { ...later, action }, ...as })
  const { id } = made.json as { id: string }
  await world.call('PATCH', `/api/triggers/${id}`, { body: { action: { ...action, to: 'ben' } }, ...as })
  await world.call('POST', '/api/daemons/ann/start', { body: {}, ...as })
  await world.ok('DELETE', `/api/devices/${device.id}`)
  const by = `by human via ${device.id}`
  const lines = linesOf(world.home).filter(({ message }) => !message.startsWith('auth.'))
  expect(lines.map(({ message, reason }) => [message, reason])).toEqual([
    ['login.code', 'made by human'],
    ['device.added', expect.stringMatching(new RegExp(`^${device.id} new from (::ffff:)?127`))],
    ['trust', `${world.project} trusted ${by}`],
    ['permission', `allow bash(ls) for ${world.project} ${by}`],
    ['settings', `home: permissions.deny = ["fly"], providers.x ${by}`],
    ['agent', `new (project) written ${by}`],
    ['agent', `new deleted ${by}`],
    ['trigger', `${id.slice(0, 16)} at_time send made ${by}`],
    ['trigger', `${id.slice(0, 16)} action changed ${by}`],
    ['daemon', `ann/garden started ${by}`],
    ['device.removed', `${device.id} by human`],
  ])
  expect(JSON.stringify(lines)).not.toContain('a-key-nobody-sees')
})
