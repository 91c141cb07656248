import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAlive, openDesk, type Ran } from '../../../test/kit/desk.ts'
import { createTokens } from '../../core/sessions/tokens.ts'

const desk = openDesk()
let asker: { id: string; handle: string }
let target: { id: string; handle: string }

beforeAll(async () => {
  const folder = join(desk.home, 'agents', 'caller')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'agent.json'), JSON.stringify({ agents: { allow: ['researcher', 'assistant'] } }))
  await desk.run('up', '--detach')
  asker = await session('caller')
  target = await session('writer')
})
afterAll(() => desk.close())

async function session(agent: string): Promise<{ id: string; handle: string }> {
  const { session: handle } = await desk.json('send', agent, '--new', '--wait', 'hello')
  return desk.json('sessions', 'show', handle)
}

const tokenOf = ({ id }: { id: string }): string =>
  createTokens(readFileSync(join(desk.home, 'token'), 'utf8').trim()).tokenOf(id)

const by = {
  socket: () => ({ TROUPE_SOCKET: join(desk.home, 'server.sock') }),
  address: () => ({ TROUPE_URL: desk.server()!.url }),
}

/** Runs the program as a command of the session would run it. */
function as(one: { id: string }, way: Record<string, string>, ...words: string[]): Promise<Ran> {
  const { child, done } = desk.start(words, { env: { TROUPE_TOKEN: tokenOf(one), ...way } })
  child.stdin?.end()
  return done
}

test.each(['socket', 'address'] as const)('"send" writes as the session, by %s', async (way) => {
  const sent = await as(asker, by[way](), 'send', target.handle, `from a script by ${way}`, '--json')
  // It may not write to a session that it did not make, unless a rule allows it.
  expect([sent.code, JSON.parse(sent.err).error.code]).toEqual([1, 'address.not_allowed'])
  const told = await as(asker, by[way](), 'send', 'human', `the build is red (${way})`, '--json')
  expect([told.code, told.err]).toEqual([0, ''])
  const { inboxId } = JSON.parse(told.out)
  const { items } = await desk.json('inbox')
  const item = items.find(({ id }: { id: string }) => id === inboxId)
  expect(item).toMatchObject({ kind: 'message', from: { kind: 'agent', agent: 'caller', handle: asker.handle } })
  expect(`${item.title} ${item.body}`).toContain(`the build is red (${way})`)
})

test('"ask" prints the answer of an agent it may reach, with all of it as JSON', async () => {
  const plain = await as(asker, by.socket(), 'ask', 'researcher', 'list the files')
  expect([plain.code, plain.err, plain.out]).toEqual([0, '', expect.stringContaining('These are the files')])
  const whole = await as(asker, by.address(), 'ask', 'researcher', '--json', 'hello')
  expect(JSON.parse(whole.out)).toMatchObject({ status: 'complete', agent: 'researcher' })
  const log = await desk.run('sessions', 'messages', JSON.parse(whole.out).session)
  expect(log.out).toContain('caller')
})

test('whom it may not reach is refused with whom it may', async () => {
  const { code, err } = await as(asker, by.socket(), 'ask', 'writer', 'hello')
  expect([code, err]).toEqual([1, expect.stringMatching(/assistant.*researcher/)])
  const person = await as(asker, by.socket(), 'ask', 'human', 'hello')
  expect([person.code, person.err]).toEqual([1, expect.stringContaining('ask_human')])
})

test('"ask" without an answer in time ends with 1', async () => {
  const asked = await as(asker, by.socket(), 'ask', 'assistant', '--new', '--timeout', '1', 'ask me about dust')
  expect([asked.code, asked.err]).toEqual([1, expect.stringMatching(/No answer|gave no answer|waits/)])
})

test('"send --wait" is refused: a session that wants an answer asks', async () => {
  const { code, err } = await as(asker, by.socket(), 'send', 'researcher', '--wait', 'hello')
  expect([code, err]).toEqual([2, expect.stringContaining('troupe ask')])
})

test('what one session asks, a program of the other hears with "listen" and answers', async () => {
  const helper = await session('assistant')
  await desk.run('sessions', 'pause', helper.handle)
  const none = await as(helper, by.socket(), 'listen', '--timeout', '0')
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('No question')])
  const asking = as(asker, by.socket(), 'ask', 'assistant', 'what is the port?', '--timeout', '40')
  const heard = await as(helper, by.address(), 'listen', '--timeout', '40')
  const question = JSON.parse(heard.out)
  expect(question).toMatchObject({ mailId: expect.stringMatching(/^mail_/), question: 'what is the port?' })
  expect(question.from).toContain('caller')
  const foreign = await as(asker, by.socket(), 'answer', question.mailId, '80')
  expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining('does not allow this')])
  expect((await as(asker, by.socket(), 'listen', '--session', helper.handle, '--timeout', '0')).code).toBe(1)
  const answered = await as(helper, by.socket(), 'answer', question.mailId, 'it is 4747')
  expect([answered.code, answered.err]).toEqual([0, ''])
  expect(await asking).toMatchObject({ code: 0, out: 'it is 4747\n' })
  const again = await as(helper, by.socket(), 'answer', question.mailId, 'no, 80')
  expect(again.code).toBe(1)
})

test('the person hears what a session is asked, and answers for it', async () => {
  const helper = await session('assistant')
  await desk.run('sessions', 'pause', helper.handle)
  const asking = as(asker, by.address(), 'ask', 'assistant', 'which colour?', '--timeout', '40')
  const { out } = await desk.run('listen', '--session', helper.handle, '--timeout', '40')
  const { mailId, question } = JSON.parse(out)
  expect(question).toBe('which colour?')
  expect((await desk.run('answer', mailId, 'green')).code).toBe(0)
  expect(await asking).toMatchObject({ code: 0, out: 'green\n' })
})

test('what is the person’s is refused, and the owner’s token beside it is not used instead', async () => {
  const { pid } = desk.server()!
  const refused: string[][] = [
    ['status'],
    ['inbox'],
    ['down'],
    ['doctor'],
    ['sessions'],
    ['sessions', 'messages', target.handle],
    ['config', 'set', 'defaultModel', 'demo/demo'],
    ['trust', '--yes'],
    ['permissions', 'add', 'allow', 'bash'],
    ['chat'],
  ]
  const tried = refused.map(async (words) => ({ words, ...(await as(asker, by.socket(), ...words)) }))
  for (const { words, code, out, err } of await Promise.all(tried)) {
    const said = expect.stringMatching(/does not allow this|acts for a session/)
    expect([words, code, out + err]).toEqual([words, 1, said])
  }
  expect(isAlive(pid)).toBe(true)
  const { items } = await desk.json('permissions')
  expect(items.map(({ rule }: { rule: string }) => rule)).not.toContain('bash')
})

test('with a token and no server that answers it ends with 3, says why, and starts none', async () => {
  const lonely = openDesk()
  try {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    const token = createTokens('nobody').tokenOf(asker.id)
    for (const way of [
      {},
      { TROUPE_SOCKET: join(lonely.home, 'server.sock') },
      { TROUPE_URL: `http://127.0.0.1:${port}` },
    ]) {
      const { child, done } = lonely.start(['send', 'human', 'hello'], { env: { TROUPE_TOKEN: token, ...way } })
      child.stdin?.end()
      const { code, err } = await done
      expect([way, code, err]).toEqual([way, 3, expect.stringContaining('starts no server')])
    }
    expect(lonely.server()).toBeUndefined()
  } finally {
    await lonely.close()
  }
})

test('a token that is not valid here is an error of that server, not a reason to try another', async () => {
  const env = { TROUPE_TOKEN: createTokens('elsewhere').tokenOf(asker.id), ...by.socket() }
  const { child, done } = desk.start(['send', 'human', 'hello', '--json'], { env })
  child.stdin?.end()
  const { code, err } = await done
  expect([code, JSON.parse(err).error.code]).toEqual([1, 'auth.wrong'])
})
