import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { cast, requestAs } from '../kit/cast.ts'
import { bin } from '../kit/desk.ts'
import { createWorld, type World, type WorldOptions } from '../kit/world.ts'

const support = sandboxSupport(process.env, 'strict')
if (support.program === undefined) console.warn(`!!! NO SANDBOX HERE: ${support.why}`)
/** What is answered is looked into field by field. */
const as = requestAs<ReturnType<typeof JSON.parse>>
const modes = support.program === undefined ? ['off'] : ['off', 'workspace', 'strict']

test.each(modes)('a command gets its session’s token and not the owner’s, with sandbox %s', async (sandbox) => {
  const world = await createWorld({ settings: { sandbox, permissions: { allow: ['bash'] } } })
  const commands = [
    'printenv TROUPE_TOKEN TROUPE_SESSION_ID TROUPE_URL > who.txt; env > all.txt; env',
    'env > later.txt',
  ]
  world.vendor.reply(
    { calls: [{ name: 'bash', input: { command: commands[0] } }] },
    { calls: [{ name: 'bash', input: { command: commands[1], background: true } }] },
    { text: 'Done.' },
  )
  const session = await world.session({ agent: 'coder' })
  await world.say(session.id, 'Who are you?')
  const token = world.server.core.tokenOf(session.id)
  expect(read(world.project, 'who.txt')).toBe(`${token}\n${session.id}\n${world.server.url}\n`)
  const later = await world.eventually(
    async () => read(world.project, 'later.txt').includes('TROUPE_URL') && read(world.project, 'later.txt'),
  )
  expect(later).toContain(`TROUPE_TOKEN=${token}\n`)
  for (const text of [read(world.project, 'all.txt'), later]) {
    expect(text).not.toContain(world.server.token)
    expect(text.includes('TROUPE_SOCKET=')).toBe(sandbox !== 'off')
  }
  const log = JSON.stringify([await world.messages(session.id), await world.events(session.id)])
  expect(log).toContain('TROUPE_TOKEN=[secret]')
  expect(log).not.toContain(token)
})

test.each(modes)('a command writes and asks as its session, with sandbox %s', async (sandbox) => {
  const world = await withCaller({ settings: { sandbox, permissions: { allow: ['bash'] } } })
  const command = sandbox === 'off' ? byProgram : bySocket
  world.vendor.queue({ word: 'which version' }, { text: 'It is 4.' })
  world.vendor.queue({ word: 'Find out' }, { calls: [{ name: 'bash', input: { command } }] }, { text: 'Done.' })
  const session = await world.session({ agent: 'caller' })
  await world.say(session.id, 'Find out')
  const [output] = await world.results(session.id)
  expect(output).toMatch(/inbox[\s\S]*It is 4\.[\s\S]*does not allow this: GET \/api\/status/)
  expect(await world.inbox()).toMatchObject([{ kind: 'message', from: { agent: 'caller', handle: session.handle } }])
  const { items } = await world.ok<{ items: Session[] }>('GET', '/api/sessions?agent=researcher')
  const [question] = await world.messages(items[0]!.id)
  expect(question?.from).toMatchObject({ kind: 'agent', agent: 'caller', sessionId: session.id })
})

const troupe = `${process.execPath} ${bin}`
const byProgram = `${troupe} send human "the build is red" && ${troupe} ask researcher "which version" && ${troupe} status`

/** Inside a sandbox the program itself may be out of sight (a checkout below /tmp), the socket never is. */
const bySocket = `
  call() { printf '%s %s HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer %s\\r\\nContent-Type: application/json\\r\\nContent-Length: %s\\r\\nConnection: close\\r\\n\\r\\n%s' "$1" "$2" "$TROUPE_TOKEN" "\${#3}" "$3" | socat -t 30 - UNIX-CONNECT:"$TROUPE_SOCKET",shut-none; echo; }
  call POST /api/mail '{"to":"human","content":"the build is red"}'
  call POST /api/mail '{"to":"researcher","content":"which version","ask":true}'
  call GET /api/status ''`

test('a session is shown whom it may reach, and nothing of how they are made', async () => {
  const keys = { mcpServers: { x: { env: { KEY: 'canary-key' } } }, description: 'Looks things up.' }
  const lookup = cast({ lookup: { ...keys, agents: { allow: ['*'] } } })
  const world = await withCaller({ files: { ...lookup, '../home/agents/lookup/AGENT.md': 'canary-prose' } })
  const session = await world.session({ agent: 'caller' })
  const answer = await as(world, session, 'GET', '/api/agents')
  expect(answer.body.items.map(({ name }: { name: string }) => name).sort()).toEqual(['lookup', 'researcher'])
  expect(JSON.stringify(answer.body)).toContain('Looks things up.')
  expect(JSON.stringify(answer.body)).not.toMatch(/canary|allow/)
  expect(JSON.stringify(answer.body)).not.toContain(world.home)
})

test('who sent a mail learns where it is, and not what was said in the turn that took it', async () => {
  const world = await withCaller()
  world.vendor.queue({ word: 'Look it up' }, { text: 'canary-reply' })
  const session = await world.session({ agent: 'caller' })
  const sent = await as(world, session, 'POST', '/api/mail', { to: 'researcher', content: 'Look it up' })
  expect([sent.status, sent.body]).toEqual([202, expect.objectContaining({ outcome: 'started', ended: false })])
  await world.settled(sent.body.mailId)
  const seen = await as(world, session, 'GET', `/api/mail/${sent.body.mailId}?wait=5`)
  expect(seen.body).toMatchObject({ mailId: sent.body.mailId, state: 'taken' })
  expect(JSON.stringify(seen.body)).not.toContain('canary-reply')
})

test('an answer is waited for in one request or in several, and a look that ends early ends nothing', async () => {
  const world = await withCaller()
  const session = await world.session({ agent: 'caller' })
  const target = await world.session({ agent: 'researcher' })
  await world.ok('POST', `/api/sessions/${target.id}/pause`)
  const asking = as(world, session, 'POST', '/api/mail', {
    to: 'researcher',
    content: 'How many?',
    ask: true,
    wait: 30,
  })
  const [question] = await world.eventually(async () => {
    const { items } = await world.ok<{ items: { mailId: string }[] }>(
      'GET',
      `/api/mail?session=${target.id}&questions=true`,
    )
    return items.length > 0 && items
  })
  const path = `/api/mail/${question!.mailId}`
  const early = await as(world, session, 'GET', `${path}?wait=0.05`)
  expect([early.status, early.body.status]).toEqual([202, 'timeout'])
  const later = as(world, session, 'GET', `${path}?wait=30`)
  expect((await as(world, session, 'POST', `${path}/answer`, { content: 'me' })).status).toBe(403)
  expect((await as(world, target, 'POST', `${path}/answer`, { content: 'Four.' })).status).toBe(200)
  for (const answer of [await asking, await later])
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ status: 'complete', response: 'Four.' }),
    ])
  expect((await as(world, target, 'POST', `${path}/answer`, { content: 'Five.' })).status).toBe(409)
})

test('the clientId of the person’s mail gives a session a mail of its own', async () => {
  const world = await withCaller()
  const session = await world.session({ agent: 'caller' })
  const mail = { to: 'researcher', content: 'Hi', clientId: 'c1' }
  const persons = await world.ok<{ mailId: string }>('POST', '/api/mail', mail)
  const first = await as(world, session, 'POST', '/api/mail', mail)
  const again = await as(world, session, 'POST', '/api/mail', mail)
  expect(first.body.mailId).not.toBe(persons.mailId)
  expect(again.body.mailId).toBe(first.body.mailId)
  const note = { to: 'human', content: 'Hi', clientId: 'c1' }
  const told = [
    await as(world, session, 'POST', '/api/mail', note),
    await as(world, session, 'POST', '/api/mail', note),
  ]
  expect(told[0]!.body).toEqual({ inboxId: expect.stringMatching(/^inbox_/) })
  expect(told[1]!.body).toEqual(told[0]!.body)
  expect(await world.inbox()).toHaveLength(1)
})

test('an approval is not answered with the token of the session that waits for it', async () => {
  const world = await withCaller()
  world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'touch ran' } }] }, { text: 'Done.' })
  const session = await world.session({ agent: 'caller' })
  await world.say(session.id, 'Go')
  const [item] = await world.inbox()
  for (const body of [{ decision: 'once' }, { decision: 'always' }, { answer: 'yes' }])
    expect((await as(world, session, 'POST', `/api/inbox/${item!.id}/answer`, body)).status).toBe(403)
  expect((await as(world, session, 'POST', `/api/sessions/${session.id}/messages`, { content: 'once' })).status).toBe(
    403,
  )
  expect((await world.inbox()).map(({ status }) => status)).toEqual(['open'])
  expect(existsSync(join(world.project, 'ran'))).toBe(false)
})

/** An agent that may write to two others. */
const withCaller = ({ files, ...options }: WorldOptions = {}): Promise<World> =>
  createWorld({ ...options, files: { ...cast({ caller: { agents: { allow: ['researcher', 'lookup'] } } }), ...files } })

function read(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return ''
  }
}
