import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDesk } from '../../../test/kit/desk.ts'

const desk = openDesk()
beforeAll(async () => {
  await desk.run('up', '--detach')
})
afterAll(() => desk.close())

test('"ask" waits and prints the answer', async () => {
  const { code, out } = await desk.run('ask', 'assistant', '--new', 'list', 'the files')
  expect([code, out]).toEqual([0, expect.stringContaining('These are the files')])
  const piped = await desk.pipe('list the files\n', 'ask', 'assistant', '--new')
  expect([piped.code, piped.out]).toEqual([0, expect.stringContaining('These are the files')])
})

test('"ask" that leads to a question to the person ends with 4 and says how to answer', async () => {
  const { code, err } = await desk.run('ask', 'assistant', '--new', 'ask me about rain')
  expect([code, err]).toEqual([4, expect.stringContaining('What should I know about rain?')])
  const prefix = /troupe inbox answer (\w+)/.exec(err)![1]!
  const answered = await desk.run('answer', prefix, 'it is', 'wet')
  expect([answered.code, answered.out]).toEqual([0, expect.stringContaining('goes on')])
})

test('whom one asks must exist, there must be a question, and a timeout is a number up to 600', async () => {
  const nobody = await desk.run('ask', 'nobody-here', 'hello')
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('researcher')])
  expect((await desk.run('ask', 'assistant')).code).toBe(2)
  for (const timeout of ['601', 'soon', '-1'])
    expect([timeout, (await desk.run('ask', 'assistant', '--timeout', timeout, 'hi')).code]).toEqual([timeout, 2])
})

test('"listen" prints the oldest open question as JSON, and "answer" answers it by its id', async () => {
  const quiet = openDesk()
  try {
    const none = await quiet.run('listen', '--timeout', '0')
    expect([none.code, none.out]).toEqual([1, ''])
    expect(none.err).toContain('No question')
    await quiet.run('ask', 'assistant', '--new', 'ask me something')
    await quiet.run('ask', 'assistant', '--new', 'ask me about tea')
    const first = JSON.parse((await quiet.run('listen')).out)
    expect(first).toEqual({
      inboxId: expect.stringMatching(/^inbox_/),
      from: expect.stringMatching(/^assistant [0-9a-f]{4,}$/),
      question: 'Which colour do you like best?',
      options: expect.arrayContaining(['green']),
    })
    expect((await quiet.run('answer', first.inboxId, '2')).code).toBe(0)
    const { items } = await quiet.json('inbox', '--all')
    expect(items.find(({ id }: { id: string }) => id === first.inboxId).answer).toEqual({ answer: 'green' })
    const again = await quiet.run('answer', first.inboxId, '1')
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('already')])
    expect(JSON.parse((await quiet.run('listen')).out).question).toContain('tea')
  } finally {
    await quiet.close()
  }
})

test('"listen" waits for a question that is not there yet', async () => {
  const quiet = openDesk()
  try {
    await quiet.run('up', '--detach')
    const waiting = quiet.start(['listen', '--timeout', '40'])
    const asked = await quiet.run('ask', 'assistant', '--new', 'ask me about snow')
    expect(asked.code).toBe(4)
    const { code, out } = await waiting.done
    expect(code).toBe(0)
    expect(JSON.parse(out).question).toContain('snow')
  } finally {
    await quiet.close()
  }
})

test('an approval is not answered with text, and what is no id is refused', async () => {
  const asked = await desk.run('send', 'coder', '--new', '--wait', 'run touch never.txt')
  const prefix = /troupe inbox approve (\w+)/.exec(asked.err)![1]!
  const { code, err } = await desk.run('answer', prefix, 'yes')
  expect([code, err]).toEqual([2, expect.stringContaining('troupe inbox approve')])
  expect((await desk.run('answer', '../settings', 'yes')).code).toBe(2)
  expect((await desk.run('answer', 'mail_none', 'yes')).code).toBe(1)
})

test('a shell is offered agents to ask, sessions to listen for, and the ids of what is open', async () => {
  const asked = await desk.run('ask', 'assistant', '--new', 'ask me about wind')
  const handle = /sessions messages (\w+)/.exec(asked.err)![1]!
  const offered = async (...words: string[]): Promise<string> => (await desk.run('__complete', '--', ...words)).out
  expect(await offered('ask', 'rese')).toMatch(/^researcher\t/)
  expect(await offered('listen', '--session', handle)).toMatch(new RegExp(`^${handle}\t`))
  expect(await offered('answer', 'inbox_')).toMatch(/^inbox_\w+\t.*wind/m)
})
