import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gone, openDesk } from '../../../test/kit/desk.ts'

const desk = openDesk()
beforeAll(async () => {
  await desk.run('up', '--detach')
})
afterAll(() => desk.close())

/** The only open item of a session. */
// biome-ignore lint/suspicious/noExplicitAny: results are looked into field by field
async function waitingIn(session: string): Promise<any> {
  const { items } = await desk.json('inbox')
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return items.find((item: any) => item.from.handle === session)
}

test('"send --wait" prints the reply', async () => {
  const { code, out } = await desk.run('send', '--wait', 'assistant', '--new', 'hello')
  expect(code).toBe(0)
  expect(out).toContain('scripted demo model')
})

test('"--wait" takes a number for itself and leaves words to the message', async () => {
  const before = await desk.run('send', '--wait', 'writer', 'list', 'the files')
  const after = await desk.run('send', 'writer', '--wait', 'list the files')
  const timed = await desk.run('send', 'writer', 'list the files', '--wait', '60')
  for (const { code, out } of [before, after, timed]) {
    expect(code).toBe(0)
    expect(out).toContain('These are the files')
  }
})

test('"send" without --wait gives a receipt at once', async () => {
  const receipt = await desk.json('send', 'assistant', '--new', 'hello')
  expect(receipt).toMatchObject({ outcome: 'started', ended: false })
  expect(receipt.mailId).toMatch(/^mail_/)
})

test('"send --wait" that gets no reply says what the session does', async () => {
  const { session } = await desk.json('send', 'assistant', '--new', '--wait', 'hello')
  await desk.run('sessions', 'pause', session)
  const { code, err } = await desk.run('send', session, '--wait=0', 'hello again')
  expect(code).toBe(1)
  expect(err).toContain(`No reply within 0 s. assistant ${session} is paused`)
  expect(err).toContain(`why ${session}`)
})

test('the message may be piped in', async () => {
  const { code, out } = await desk.pipe('write piped.md: over\n', 'send', 'assistant', '--new', '--wait')
  expect(code).toBe(0)
  expect(out).toContain('over')
  expect(readFileSync(join(desk.project, 'piped.md'), 'utf8')).toContain('over')
})

test('an unknown agent is refused with the names that exist', async () => {
  const { code, err } = await desk.run('send', 'nobody-here', 'hello')
  expect(code).toBe(1)
  expect(err).toContain('researcher')
})

test('a question ends "send --wait" with 4 and says how to answer; any unique beginning of the id will do', async () => {
  const asked = await desk.run('send', 'assistant', '--new', '--wait', 'ask me about tea')
  expect(asked.code).toBe(4)
  expect(asked.err).toContain('What should I know about tea?')
  const prefix = /troupe inbox answer (\w+)/.exec(asked.err)![1]!
  const session = /sessions messages (\w+)/.exec(asked.err)![1]!
  expect((await desk.run('inbox', 'approve', prefix)).code).toBe(2)
  expect((await desk.run('inbox', 'answer', prefix, 'it is', 'green')).code).toBe(0)
  const reply = await desk.run('send', session, '--wait', '--followup', 'hello')
  expect(reply.code).toBe(0)
  expect((await desk.run('sessions', 'messages', session)).out).toContain('it is green')
  const again = await desk.run('inbox', 'answer', prefix, 'no, black')
  expect(again.code).toBe(1)
  expect(again.err).toContain('already')
})

test('"--yes" lets what would be asked for run; "--unattended" goes by the setting', async () => {
  const allowed = await desk.run('send', 'coder', '--new', '--wait', '--yes', 'run touch allowed.txt')
  expect([allowed.code, allowed.err]).toEqual([0, ''])
  expect(readFileSync(join(desk.project, 'allowed.txt'), 'utf8')).toBe('')
  expect((await desk.run('config', 'set', 'permissions.unattended', 'deny')).code).toBe(0)
  const denied = await desk.run('ask', 'coder', '--new', '--unattended', 'run touch denied.txt')
  expect(denied.code).toBe(0)
  expect(() => readFileSync(join(desk.project, 'denied.txt'))).toThrow()
  const attended = await desk.run('ask', 'coder', '--new', 'run touch denied.txt')
  expect(attended.code).toBe(4)
  expect((await desk.run('config', 'unset', 'permissions.unattended')).code).toBe(0)
})

test('"--questions" says for a session, from then on, what becomes of questions that nobody answers', async () => {
  const first = await desk.json('ask', 'assistant', '--new', '--questions', 'first', 'ask me something')
  expect(first).toMatchObject({ ended: true, reply: expect.stringContaining('"red"') })
  const again = await desk.run('send', first.session, '--wait', 'ask me something')
  expect(again.code).toBe(0)
  const asked = await desk.pipe('ask me something\n', ...['chat', '--session', first.session, '--questions', 'wait'])
  expect([asked.code, asked.err]).toEqual([4, expect.stringContaining('Which colour')])
  const wrong = await desk.run('send', 'assistant', '--questions', 'expire:soon', 'hello')
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('expire:<seconds>, such as expire:600')])
})

test('a command asks first; denied with a reason it does not run', async () => {
  const asked = await desk.run('send', 'coder', '--new', '--wait', 'run touch ran.txt')
  expect(asked.code).toBe(4)
  expect(asked.err).toContain('touch ran.txt')
  const prefix = /troupe inbox approve (\w+)/.exec(asked.err)![1]!
  expect((await desk.run('inbox', 'deny', prefix, '--reason', 'not on my machine')).code).toBe(0)
  const session = /sessions messages (\w+)/.exec(asked.err)![1]!
  await desk.run('send', session, '--wait', '--followup', 'hello')
  expect((await desk.run('sessions', 'messages', session)).out).toContain('not on my machine')
  expect(() => readFileSync(join(desk.project, 'ran.txt'))).toThrow()
})

test('approved for the session, the same command runs again without asking, and another does not', async () => {
  const asked = await desk.run('send', 'coder', '--new', '--wait', 'run echo first')
  const prefix = /troupe inbox approve (\w+)/.exec(asked.err)![1]!
  const session = /sessions messages (\w+)/.exec(asked.err)![1]!
  expect((await desk.run('inbox', 'approve', prefix, '--session')).code).toBe(0)
  const next = await desk.run('send', session, '--wait', '--followup', 'run echo first')
  expect(next.code).toBe(0)
  expect(next.out).toContain('first')
  expect((await desk.run('send', session, '--wait', '--followup', 'run echo second')).code).toBe(4)
})

test('an id that fits several items is refused with all of them', async () => {
  await desk.run('send', 'assistant', '--new', '--wait', 'ask me about a')
  await desk.run('send', 'assistant', '--new', '--wait', 'ask me about b')
  const { code, err } = await desk.run('inbox', 'show', 'inbox_')
  expect(code).toBe(1)
  expect(err).toContain('a few more characters')
})

test('in a piped chat each line is answered before the next, and a line answers what it asks', async () => {
  const { code, out, err } = await desk.pipe(
    'hello\nask me something\n2\nlist the files\n',
    'chat',
    'assistant',
    '--new',
  )
  expect(code).toBe(0)
  expect(err).toContain('Which colour do you like best?')
  const order = ['I follow a small script', 'I have a question', 'green', 'These are the files'].map((text) =>
    out.indexOf(text),
  )
  expect(order.every((at) => at >= 0)).toBe(true)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('a piped chat that ends on an open question ends with 4', async () => {
  const { code, err } = await desk.pipe('ask me something\n', 'chat', '--new')
  expect(code).toBe(4)
  expect(err).toContain('troupe inbox answer')
})

test("a helper's approval is asked in a piped chat: a line answers it, and without one the chat ends with 4", async () => {
  const asked = await desk.pipe('have coder run touch helped.txt\n', 'chat', '--new')
  expect(asked.code).toBe(4)
  expect(asked.err).toContain('coder wants to use bash')
  expect(asked.err).toContain('troupe inbox approve')
  const answered = await desk.pipe('have coder run touch helped.txt\nonce\n', 'chat', '--new')
  expect(answered.code).toBe(0)
  expect(readFileSync(join(desk.project, 'helped.txt'), 'utf8')).toBe('')
})

test('a piped chat sends nothing into an approval that waited before it began, and ends with 4', async () => {
  const { session } = await desk.json('send', 'coder', '--new', 'run touch early.txt')
  const waiting = desk.start(['inbox', 'watch', '--json'])
  await waiting.said('touch early.txt')
  waiting.child.kill('SIGINT')
  for (const line of ['hello', 'once']) {
    const { code, err } = await desk.pipe(`${line}\nlist the files\n`, 'chat', '--session', session)
    expect(code).toBe(4)
    expect(err).toContain(`"${line}" was not sent`)
    expect(err).toContain('troupe inbox approve')
  }
  expect((await waitingIn(session)).status).toBe('open')
  expect((await desk.run('inbox')).out).toContain('coder wants to use bash: command: touch early.txt')
})

test('a chat with an agent that does not exist is refused before anything is read', async () => {
  const { code, err } = await desk.run('chat', 'nobody-here')
  expect(code).toBe(1)
  expect(err).toContain('nobody-here')
})

test('a chat goes on with the last session, or with the one that is named', async () => {
  const { session } = await desk.json('send', 'researcher', '--new', '--wait', 'hello')
  await desk.run('send', 'researcher', '--new', '--wait', 'hello')
  await desk.pipe('list the files\n', 'chat', 'researcher', '--session', session)
  await desk.pipe('hello\n', 'chat', 'researcher')
  const { out } = await desk.run('sessions', 'messages', session)
  expect(out.match(/#\d+ human/g)).toHaveLength(3)
})

test('a chat with --json prints one object a line', async () => {
  const { out } = await desk.pipe('hello\n', 'chat', '--new', '--json')
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ type }) => type)).toEqual(['message', 'ended'])
})

test('Ctrl-C in a chat cancels the command that runs', async () => {
  const running = desk.start(['chat', 'coder', '--new'])
  running.child.stdin?.write('run sleep 600\n')
  await running.said('coder wants to use bash')
  running.child.stdin?.write('once\n')
  await running.said('▸ bash sleep 600')
  running.child.kill('SIGINT')
  await running.said('canceled')
  running.child.stdin?.end()
  expect((await running.done).code).toBe(1)
})

test('a chat goes on when its server is killed in the middle of a question', async () => {
  const running = desk.start(['chat', '--new'])
  running.child.stdin?.write('ask me something\n')
  await running.said('Which colour do you like best?')
  const { pid } = desk.server()!
  process.kill(pid, 'SIGKILL')
  await gone(pid)
  running.child.stdin?.end('3\n')
  const { code, out } = await running.done
  expect(code).toBe(0)
  expect(out).toContain('blue')
  expect(desk.server()!.pid).not.toBe(pid)
})

test('what waits is printed as it comes by "inbox watch"', async () => {
  await desk.run('send', 'writer', '--new', '--wait', 'ask me about the sun')
  const running = desk.start(['inbox', 'watch', '--json'])
  await running.said('What should I know about the sun?')
  const { session } = await desk.json('send', 'writer', '--new', 'ask me about the moon')
  await running.said('What should I know about the moon?')
  running.child.kill('SIGINT')
  expect((await running.done).code).toBe(0)
  expect((await waitingIn(session)).kind).toBe('question')
})
