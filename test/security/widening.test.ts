import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorld, type World } from '../kit/world.ts'

/** An agent that may use the shell and every tool, and wants to be allowed more. */
async function attempt(world: World, name: string, input: unknown) {
  world.vendor.reply({ calls: [{ name, input }] }, { text: 'I tried.' })
  const session = await world.session({ agent: 'coder' })
  const reply = await world.say(session.id, 'Go')
  return { session, reply, inbox: await world.inbox(), results: String(await world.results(session.id)) }
}

const everything = { permissions: { allow: ['*', 'bash'] }, sandbox: 'workspace' }

const files: Record<string, string> = {
  'an agent file': '.troupe/agents/coder.md',
  'the project’s settings': '.troupe/settings.json',
  'personal settings': '.troupe/settings.local.json',
  'a hook of git': '.git/hooks/post-checkout',
  'git’s configuration': '.git/config',
  'settings of another agent program': '.claude/settings.json',
  'a list of servers': '.mcp.json',
  'an environment file': '.env',
}

test.each(Object.entries(files))(
  '%s written by a tool waits for the person, who is told what it means',
  async (_, path) => {
    const world = await createWorld({ settings: everything })
    const { inbox, reply } = await attempt(world, 'write_file', { path, content: 'planted' })
    expect(reply.waits).toMatchObject([{ tool: 'write_file', kind: 'approval' }])
    expect(inbox).toMatchObject([{ title: expect.stringContaining('changes what agents may do') }])
    expect(existsSync(join(world.project, path))).toBe(false)
  },
)

test.each(Object.entries(files))(
  '%s written by a program is stopped by the sandbox, or put aside for the person',
  async (_, path) => {
    const world = await createWorld({ settings: everything })
    writeFileSync(join(world.project, 'plant.sh'), `mkdir -p "$(dirname ${path})"; echo planted > ${path}; echo tried`)
    const { results, inbox } = await attempt(world, 'bash', { command: 'sh plant.sh' })
    expect([results, ...inbox.map(({ title }) => title)].join()).toMatch(/Read-only|changes what agents may do/)
    expect(existsSync(join(world.project, path))).toBe(false)
  },
)

test('a shell profile is out of reach: asked for by name, stopped by the sandbox otherwise', async () => {
  const world = await createWorld({ settings: { ...everything, permissions: { allow: ['bash(sh plant.sh)'] } } })
  const profile = join(world.home, '..', '.bashrc')
  const byName = await attempt(world, 'bash', { command: 'echo planted >> ~/.bashrc' })
  expect(byName.reply.waits).toMatchObject([{ kind: 'approval' }])
  writeFileSync(join(world.project, 'plant.sh'), 'echo planted >> "$HOME/.bashrc"; echo tried')
  await attempt(world, 'bash', { command: 'sh plant.sh' })
  expect(existsSync(profile)).toBe(false)
})

test('a path named on a command line that is allowed as a whole does not open the sandbox', async () => {
  const world = await createWorld({ settings: everything })
  const outside = join(world.home, '..', 'other.txt')
  writeFileSync(outside, 'old')
  writeFileSync(
    join(world.project, 'plant.sh'),
    'for path in "$@"; do echo planted > "$path"; done; echo planted > ../other.txt',
  )
  for (const command of [
    'sh plant.sh ../other.txt',
    'sh plant.sh / ../other.txt',
    'echo planted > ../other.txt',
    'echo planted >> ~/.bashrc',
  ])
    await attempt(world, 'bash', { command })
  expect(readFileSync(outside, 'utf8')).toBe('old')
  expect(existsSync(join(world.home, '..', '.bashrc'))).toBe(false)
})

test('the token is neither read by name nor found by a program', async () => {
  const world = await createWorld({ settings: everything })
  const token = readFileSync(join(world.home, 'token'), 'utf8').trim()
  const file = join(world.home, 'token')
  for (const [name, input] of [
    ['read_file', { path: file }],
    ['bash', { command: `cat ${file}` }],
    ['bash', { command: `cd ${world.home} && cat token` }],
    ['grep', { pattern: '.', path: world.home }],
  ] as const) {
    const { results, reply, session } = await attempt(world, name, input)
    expect(reply.toolCalls).toMatchObject([{ ok: false }])
    expect(results).toContain('cannot reach')
    const denied = (await world.events(session.id)).filter(({ type }) => type === 'tool.denied')
    expect(denied).toHaveLength(1)
  }
  writeFileSync(
    join(world.project, 'find.sh'),
    `cat ${file} ${world.home}/*; cat /proc/*/environ; env; set; cat /proc/*/cmdline; grep -r . ${world.home}`,
  )
  const { session } = await attempt(world, 'bash', { command: 'sh find.sh' })
  expect(JSON.stringify(await world.messages(session.id))).not.toContain(token)
})

test('the API called from a command with what can be found there gives nothing', async () => {
  const world = await createWorld({ settings: { ...everything, sandbox: 'workspace' } })
  const url = world.server.url
  writeFileSync(
    join(world.project, 'call.sh'),
    `curl -sS ${url}/api/permissions -o a.json
curl -sS -X POST -H 'content-type: application/json' -d '{"decision":"allow","rule":"write_file(.env)"}' ${url}/api/permissions
curl -sS --unix-socket "$TROUPE_SOCKET" http://localhost/api/trust
curl -sS --unix-socket "$TROUPE_SOCKET" -X POST -H 'content-type: application/json' -d '{"trusted":true}' http://localhost/api/trust
curl -sS --unix-socket "$TROUPE_SOCKET" -H 'Host: evil.example' http://localhost/api/health
curl -sS --unix-socket "$TROUPE_SOCKET" http://localhost/api/health
curl -sS -H "Authorization: Bearer $TROUPE_TOKEN$TOKEN$TROUPE_CALL" ${url}/api/settings`,
  )
  const { results } = await attempt(world, 'bash', { command: 'sh call.sh' })
  expect(results.match(/"code":"auth\.missing"/g)?.length).toBeGreaterThanOrEqual(3)
  expect(results).toContain('auth.host')
  expect(results).toContain('"ok":true')
  expect(results).not.toContain('"items"')
  const { items } = await world.ok<{ items: { rule: string }[] }>('GET', '/api/permissions')
  expect(items.map(({ rule }) => rule)).not.toContain('write_file(.env)')
  expect(await world.ok('GET', '/api/trust')).toMatchObject({ trusted: false })
  expect(readFileSync(join(world.home, 'logs', 'security.log'), 'utf8')).toContain('auth.missing')
})

test('rules that a project brings count only when they tighten, until it is trusted', async () => {
  const world = await createWorld()
  mkdirSync(join(world.project, '.troupe'), { recursive: true })
  writeFileSync(
    join(world.project, '.troupe', 'settings.json'),
    JSON.stringify({
      permissions: { allow: ['bash'], deny: ['read_file(secret/**)'], unattended: 'allow' },
      sandbox: 'off',
    }),
  )
  const { reply, inbox } = await attempt(world, 'bash', { command: 'touch ran' })
  expect(reply.waits).toMatchObject([{ kind: 'approval' }])
  await world.ok('POST', `/api/inbox/${inbox[0]!.id}/answer`, { decision: 'deny' })
  await world.settled(reply.mailId)
  mkdirSync(join(world.project, 'secret'))
  writeFileSync(join(world.project, 'secret', 'x'), 'canary')
  expect((await attempt(world, 'read_file', { path: 'secret/x' })).results).toContain('.troupe/settings.json')
  expect(existsSync(join(world.project, 'ran'))).toBe(false)
})
