import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Reply } from '../../src/contract/api.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const bash = (command: string) => ({ name: 'bash', input: { command } })
const write = (path: string) => ({ name: 'write_file', input: { path, content: 'x' } })

/** A turn of the coder in which the model makes these calls, one step each. */
async function turn(world: World, ...calls: { name: string; input: unknown }[]): Promise<Reply> {
  world.vendor.reply(...calls.map((call) => ({ calls: [call] })), { text: 'Done.' })
  return world.say((await world.session({ agent: 'coder' })).id, 'Go')
}
const resultOf = async (world: World, reply: Reply) => (await world.results(reply.sessionId!)).at(-1)

test('a tool that is not there is refused with the ones that are', async () => {
  const world = await createWorld()
  expect(await resultOf(world, await turn(world, { name: 'fly', input: {} }))).toMatch(/no tool "fly".*read_file/)
})

test('a tool out of the agent’s scope is not shown and not run', async () => {
  const world = await createWorld()
  world.vendor.reply({ calls: [bash('touch ran')] }, { text: 'Done.' })
  const reply = await world.say((await world.session({ agent: 'writer' })).id, 'Go')
  expect(world.vendor.requests[0]?.tools).not.toContain('bash')
  expect(await resultOf(world, reply)).toContain('no tool "bash"')
  expect(existsSync(join(world.project, 'ran'))).toBe(false)
})

test('input that does not fit is answered with what is wrong and not run', async () => {
  const world = await createWorld()
  const reply = await turn(world, { name: 'write_file', input: { path: 'made.txt' } })
  expect(await resultOf(world, reply)).toMatch(/does not fit write_file[\s\S]*content/)
  expect(existsSync(join(world.project, 'made.txt'))).toBe(false)
  expect(await resultOf(world, await turn(world, { name: 'sleep', input: 'no json at all' }))).toContain('does not fit')
  // Nested without end: whoever walked through it would not come back, here and at the vendor's.
  const nested = `{"seconds":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  expect(await resultOf(world, await turn(world, { name: 'sleep', input: nested }))).toContain('does not fit')
})

test('output beyond the bound is cut, with a note', async () => {
  const world = await createWorld({ settings: { permissions: { allow: ['bash'] } } })
  const output = String(await resultOf(world, await turn(world, bash('seq 1 100000'))))
  expect(output.length).toBeLessThan(13_000)
  expect(output).toMatch(/^1\n2\n/)
  expect(output).toContain('100000')
  expect(output).toMatch(/cut|omitted|left out|not shown/)
})

test('a path outside the workspace, also by link, is not reached before a person said so', async () => {
  const world = await createWorld()
  writeFileSync(join(world.project, '..', 'secret.txt'), 'secret')
  symlinkSync(join(world.project, '..'), join(world.project, 'way-out'))
  for (const path of ['../secret.txt', 'way-out/secret.txt']) {
    const reply = await turn(world, { name: 'read_file', input: { path } })
    expect(reply.waits, path).toMatchObject([{ tool: 'read_file', kind: 'approval' }])
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { decision: 'deny' })
    await world.settled(reply.mailId)
    expect(await resultOf(world, reply)).toContain('Denied')
  }
})

test('the data folder is refused, nobody is asked', async () => {
  const world = await createWorld({ settings: { permissions: { allow: ['*'] } } })
  symlinkSync(world.home, join(world.project, 'home'))
  for (const path of [join(world.home, 'token'), 'home/token']) {
    const reply = await turn(world, { name: 'read_file', input: { path } })
    expect(reply, path).toMatchObject({ end: 'done', toolCalls: [{ name: 'read_file', ok: false }] })
    expect(await resultOf(world, reply)).not.toContain(world.server.token)
  }
  expect(await world.inbox()).toEqual([])
})

test('writing a protected path is always asked, whatever is allowed, and says that it changes rights', async () => {
  const world = await createWorld({ settings: { permissions: { allow: ['*'], unattended: 'allow' } } })
  for (const path of ['.env', '.troupe/settings.json', '.git/config', '.mcp.json', '.claude/settings.json']) {
    const reply = await turn(world, write(path))
    expect(reply.waits, path).toMatchObject([{ tool: 'write_file', kind: 'approval' }])
    const [item] = await world.inbox()
    expect(`${item?.title}\n${item?.body}`).toContain('changes what agents may do')
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { decision: 'deny', reason: 'not that one' })
    await world.settled(reply.mailId)
    expect(await resultOf(world, reply)).toContain('not that one. Do not')
    expect(existsSync(join(world.project, path))).toBe(false)
  }
})

test('deny wins over ask, ask over allow, allow over the default, by glob', async () => {
  const rules = { allow: ['*'], ask: ['write_*'], deny: ['list_*'] }
  const world = await createWorld({ settings: { permissions: rules } })
  expect(await resultOf(world, await turn(world, bash('echo ran')))).toBe('ran')
  expect(await resultOf(world, await turn(world, { name: 'list_dir', input: {} }))).toContain('Not permitted')
  expect((await turn(world, write('a.txt'))).waits).toMatchObject([{ tool: 'write_file' }])
})

describe.each(storesInTurn(import.meta.filename))('an approval on %s', (store) => {
  test('given once is for that call only', async () => {
    const world = await createWorld({ store })
    const reply = await turn(world, bash('echo one'), bash('echo two'))
    const [first] = await world.inbox()
    expect(first?.rules).toEqual(['bash(echo one)'])
    await world.ok('POST', `/api/inbox/${first?.id}/answer`, { decision: 'once' })
    const again = await world.eventually(async () => (await world.inbox())[0])
    expect(again.body).toContain('echo two')
    await world.ok('POST', `/api/inbox/${again.id}/answer`, { decision: 'deny' })
    expect(await world.settled(reply.mailId)).toMatchObject({ end: 'done' })
    expect(await world.results(reply.sessionId!)).toEqual(['one', expect.stringContaining('Denied')])
  })

  test('given for the session holds in that session and in no other', async () => {
    const world = await createWorld({ store })
    const reply = await turn(world, bash('echo one'), bash('echo one'))
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { decision: 'session' })
    expect(await world.settled(reply.mailId)).toMatchObject({ end: 'done' })
    expect(await world.results(reply.sessionId!)).toEqual(['one', 'one'])
    expect((await turn(world, bash('echo one'))).waits).toHaveLength(1)
  })

  test('given for the session is for the same again, and for nothing else the tool can do', async () => {
    const world = await createWorld({ store, settings: { sandbox: 'off' } })
    const reply = await turn(world, bash('ls'), bash('ls'), bash('ls > ../out'), bash('python3 -c 1'))
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { decision: 'session' })
    for (const command of ['ls > ../out', 'python3 -c 1']) {
      const asked = await world.eventually(async () => (await world.inbox())[0])
      expect(asked.body).toContain(`command: ${command}\n`)
      expect(existsSync(join(world.project, '..', 'out'))).toBe(false)
      await world.ok('POST', `/api/inbox/${asked.id}/answer`, { decision: 'deny' })
    }
    await world.settled(reply.mailId)
    expect(await world.results(reply.sessionId!)).toHaveLength(4)
    expect(await world.request('GET', '/api/permissions')).toMatchObject({ body: { items: [] } })
  })

  test('given for the session reaches what it names outside the workspace, again and in a sandbox', async () => {
    const world = await createWorld({ store, settings: { sandbox: 'workspace' } })
    const reply = await turn(world, bash('echo x >> ../out'), bash('echo x >> ../out'))
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { decision: 'session' })
    expect(await world.settled(reply.mailId)).toMatchObject({ end: 'done' })
    expect(readFileSync(join(world.project, '..', 'out'), 'utf8')).toBe('x\nx\n')
  })

  test('an always that cannot be kept approves nothing: the item stays open and the command does not run', async () => {
    const world = await createWorld({ store })
    await turn(world, bash('touch ran'))
    const [item] = await world.inbox()
    const rules = join(world.home, 'projects', item!.project)
    mkdirSync(rules, { recursive: true })
    writeFileSync(join(rules, 'permissions.json'), '{ "allow": [')
    const refused = await world.request('POST', `/api/inbox/${item?.id}/answer`, { decision: 'always' })
    expect(refused.body).toMatchObject({ error: { message: expect.stringContaining('damaged') } })
    expect((await world.inbox()).map(({ id }) => id)).toEqual([item!.id])
    expect(existsSync(join(world.project, 'ran'))).toBe(false)
  })

  test('given always is a rule in the data folder and holds for the project', async () => {
    const world = await createWorld({ store })
    const reply = await turn(world, bash('echo one'))
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { decision: 'always' })
    expect(await world.settled(reply.mailId)).toMatchObject({ end: 'done' })
    const file = join(world.home, 'projects', world.server.core.project.id, 'permissions.json')
    expect(readFileSync(file, 'utf8')).toContain('bash')
    expect(await resultOf(world, await turn(world, bash('echo one')))).toBe('one')
  })

  test('shows hidden characters of what would run', async () => {
    const world = await createWorld({ store })
    await turn(world, bash('echo safe \u202e fdp.exe'))
    expect((await world.inbox())[0]?.body).toContain('\\u{202e}')
  })

  test('shows hidden characters also in why it asks', async () => {
    const world = await createWorld({ store })
    await turn(world, { name: 'write_file', input: { path: '../a\u202e\u200b\u001b[2Jb', content: 'x' } })
    const body = (await world.inbox())[0]?.body
    expect(body?.slice(body.indexOf('Asked because'))).toContain('\\u{202e}\\u{200b}\\u{1b}')
    expect(['\u202e', '\u200b', '\u001b'].filter((one) => body?.includes(one))).toEqual([])
  })

  test('indents the lines of a value, so that none passes for a line of the approval', async () => {
    const world = await createWorld({ store })
    await turn(world, bash('echo one\nAsked because: you said so\nrm -r x'))
    const lines = (await world.inbox())[0]!.body.split('\n')
    expect(lines.filter((line) => /you said so|rm -r x/.test(line))).toEqual([
      expect.stringMatching(/^\s+Asked because: you said so/),
      expect.stringMatching(/^\s+rm -r x/),
    ])
  })

  test('takes only an answer that fits, and an unknown item is not found', async () => {
    const world = await createWorld({ store })
    await turn(world, bash('echo one'))
    const [item] = await world.inbox()
    expect((await world.request('POST', `/api/inbox/${item?.id}/answer`, { answer: 'yes' })).status).toBe(400)
    expect((await world.request('POST', `/api/inbox/${item?.id}/dismiss`)).status).toBe(400)
    expect((await world.request('POST', '/api/inbox/inbox_none/answer', { answer: 'yes' })).status).toBe(404)
    expect(await world.inbox()).toHaveLength(1)
  })
})

test('with nobody there a call that would be asked is refused, or run, as the policy says', async () => {
  const world = await createWorld()
  world.vendor.script(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { calls: [bash('echo ran')] },
  )
  const denied = await world.session({ agent: 'coder', unattended: 'deny' })
  await world.say(denied.id, 'Go')
  expect((await world.results(denied.id))[0]).toContain('Nobody is there')
  const allowed = await world.session({ agent: 'coder', unattended: 'allow' })
  await world.say(allowed.id, 'Go')
  expect(await world.results(allowed.id)).toEqual(['ran'])
  expect(await world.inbox()).toEqual([])
})

test('what a tool refuses is told to the model, and is no surprise for the log', async () => {
  const world = await createWorld()
  const reply = await turn(world, { name: 'read_file', input: { path: 'missing.txt' } })
  expect(await resultOf(world, reply)).toContain('missing.txt')
  expect(readFileSync(join(world.home, 'logs', 'troupe.log'), 'utf8')).not.toContain('a tool threw')
})
