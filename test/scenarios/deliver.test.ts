import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { stores } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

const ask = (question: string) => ({ name: 'ask_human', input: { question } })
const nap = { name: 'sleep', input: { seconds: 300 } }

describe.each(stores)('what becomes of a mail on %s', (store) => {
  test('an idle session starts on it', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    expect(await world.say(session.id, 'Hi')).toMatchObject({ outcome: 'started', state: 'taken', end: 'done' })
  })

  test('a session in error tries again with it', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ error: { kind: 'auth' } }, { text: 'Now it works.' })
    const session = await world.session()
    expect(await world.say(session.id, 'Hi')).toMatchObject({ end: 'error' })
    expect(await world.look(session.id)).toMatchObject({ status: 'error' })
    expect(await world.say(session.id, 'Again')).toMatchObject({ outcome: 'started', reply: 'Now it works.' })
    expect((await world.look(session.id)).reason).toBeUndefined()
  })

  test('a closed session is reopened by it', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    expect(await world.ok('POST', `/api/sessions/${session.id}/close`)).toMatchObject({ status: 'closed' })
    expect(await world.say(session.id, 'Still there?')).toMatchObject({ outcome: 'started', end: 'done' })
    const after = await world.look(session.id)
    expect(after.status).toBe('idle')
    expect(after.closedAt).toBeUndefined()
  })

  test('a deleted session refuses it', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    await world.ok('DELETE', `/api/sessions/${session.id}`)
    const refused = await world.request('POST', `/api/sessions/${session.id}/messages`, { content: 'Hi' })
    expect(refused.status).toBe(410)
    expect(refused.body).toMatchObject({ error: { message: expect.stringContaining('deleted') } })
    expect((await world.request('POST', '/api/mail', { to: `session:${session.id}`, content: 'Hi' })).status).toBe(410)
  })

  test('a paused session keeps it until it is resumed', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    const reply = await world.say(session.id, 'Later')
    expect(reply).toMatchObject({ outcome: 'queued', state: 'queued', ended: false, reason: 'The session is paused.' })
    expect(world.vendor.requests).toEqual([])
    await world.ok('POST', `/api/sessions/${session.id}/resume`)
    expect(await world.settled(reply.mailId)).toMatchObject({ state: 'taken', end: 'done' })
  })

  test('a running session queues it and reads it in the same turn', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    world.vendor.reply({ text: 'First.', delay: gate.promise }, { text: 'Second.' })
    const session = await world.session()
    const first = await world.send(session.id, 'One')
    await world.reaches(session.id, 'running')
    const second = await world.send(session.id, 'Two')
    expect(second).toMatchObject({ outcome: 'queued', state: 'queued' })
    gate.resolve()
    expect(await world.settled(second.mailId)).toMatchObject({ reply: 'Second.' })
    const log = await world.messages(session.id)
    expect(log.map(({ parts }) => textOf(parts))).toEqual(['One', 'First.', 'Two', 'Second.'])
    expect(new Set(log.map(({ turnId }) => turnId)).size).toBe(1)
    expect((await world.settled(first.mailId)).reply).toBe('Second.')
  })

  test('a follow-up is held until the session would have ended its turn', async () => {
    const world = await createWorld({ store, files: { 'a.txt': 'alpha' } })
    const gate = Promise.withResolvers<void>()
    world.vendor.reply(
      { calls: [{ name: 'read_file', input: { path: 'a.txt' } }], delay: gate.promise },
      { text: 'Read.' },
      { text: 'And that.' },
    )
    const session = await world.session()
    await world.send(session.id, 'Read it')
    await world.reaches(session.id, 'running')
    const held = await world.send(session.id, 'Then this', { followup: true })
    const also = await world.send(session.id, 'And this', { followup: true })
    expect([held.outcome, also.outcome]).toEqual(['held', 'held'])
    gate.resolve()
    expect(await world.settled(also.mailId)).toMatchObject({ state: 'taken', reply: 'And that.' })
    const log = await world.messages(session.id)
    expect(log.filter(({ role }) => role !== 'tool').map(({ parts }) => textOf(parts))).toEqual([
      'Read it',
      '',
      'Read.',
      'Then this',
      'And this',
      'And that.',
    ])
  })

  test('plain text answers the one open question', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [ask('Which colour?')] }, { text: 'Blue it is.' })
    const session = await world.session()
    await world.say(session.id, 'Paint')
    const answer = await world.say(session.id, 'Blue')
    expect(answer).toMatchObject({ outcome: 'answered', state: 'answered', reply: 'Blue it is.' })
    expect(await world.results(session.id)).toEqual([{ answer: 'Blue' }])
    expect(await world.inbox()).toEqual([])
    const { items } = await world.ok<{ items: unknown[] }>('GET', '/api/inbox')
    expect(items).toMatchObject([{ status: 'answered', answer: { answer: 'Blue' } }])
  })

  test('plain text answers the question, not the timer that waits beside it', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [nap, ask('Which colour?')] }, { text: 'Done.' })
    const session = await world.session()
    await world.say(session.id, 'Paint')
    expect(await world.send(session.id, 'Blue')).toMatchObject({ outcome: 'answered' })
    expect(await world.inbox()).toEqual([])
    // The timer still runs; the next message ends that wait.
    const next = await world.eventually(async () => {
      const { status } = await world.look(session.id)
      return status === 'waiting' && (await world.results(session.id)).length === 1 && status
    })
    expect(next).toBe('waiting')
    expect(await world.say(session.id, 'Hurry')).toMatchObject({ outcome: 'started', reply: 'Done.' })
    expect(await world.results(session.id)).toEqual([{ answer: 'Blue' }, expect.stringContaining('interrupted')])
  })

  test('with two questions open nothing is guessed: it queues', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [ask('Colour?'), ask('Size?')] }, { text: 'Thanks.' })
    const session = await world.session()
    await world.say(session.id, 'Paint')
    expect(await world.send(session.id, 'Blue')).toMatchObject({ outcome: 'queued' })
    expect(await world.send(session.id, 'Later', { followup: true })).toMatchObject({ outcome: 'queued' })
    for (const item of await world.inbox()) {
      await world.ok('POST', `/api/inbox/${item.id}/answer`, { answer: `${item.title} yes` })
    }
    await world.reaches(session.id, 'idle')
    expect(await world.results(session.id)).toEqual(
      expect.arrayContaining([{ answer: 'Colour? yes' }, { answer: 'Size? yes' }]),
    )
    expect(
      world.vendor.requests
        .at(-1)
        ?.messages.slice(-2)
        .map(({ text }) => text),
    ).toEqual([expect.stringContaining('Blue'), expect.stringContaining('Later')])
  })

  test('an approval is not answered by text: it queues', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'echo ran' } }] }, { text: 'Ran.' })
    const session = await world.session({ agent: 'coder' })
    await world.say(session.id, 'Run it')
    const mail = await world.send(session.id, 'yes')
    expect(mail.outcome).toBe('queued')
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { decision: 'once' })
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Ran.' })
    expect(await world.results(session.id)).toEqual(['ran'])
  })

  test('a sleeping session wakes early for it and is told so', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [nap] }, { text: 'Awake.' })
    const session = await world.session()
    await world.send(session.id, 'Sleep a while')
    await world.reaches(session.id, 'waiting')
    expect(await world.send(session.id, 'After', { followup: true })).toMatchObject({ outcome: 'held' })
    expect(await world.say(session.id, 'Wake up')).toMatchObject({ outcome: 'started', state: 'taken' })
    expect(await world.results(session.id)).toEqual([expect.stringContaining('interrupted by a message')])
  })

  test('an interrupt of a waiting session denies its approvals with the message and skips what was behind them', async () => {
    const world = await createWorld({ store })
    world.vendor.reply(
      {
        calls: [
          { name: 'bash', input: { command: 'touch ran' } },
          { name: 'write_file', input: { path: 'written.txt', content: 'x' } },
        ],
      },
      { text: 'Understood.' },
    )
    const session = await world.session({ agent: 'coder' })
    await world.say(session.id, 'Do it')
    const [item] = await world.inbox()
    const reply = await world.say(session.id, 'Use the other folder', { interrupt: true })
    expect(reply).toMatchObject({ outcome: 'started', reply: 'Understood.' })
    expect(await world.results(session.id)).toEqual([
      expect.stringContaining('Use the other folder'),
      'skipped: interrupted',
    ])
    expect((await world.request('POST', `/api/inbox/${item?.id}/answer`, { decision: 'once' })).status).toBe(409)
  })

  test('an interrupt ends a pair of open questions', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [ask('Colour?'), ask('Size?')] }, { text: 'Fine, neither.' })
    const session = await world.session()
    await world.say(session.id, 'Paint')
    expect(await world.say(session.id, 'Never mind', { interrupt: true })).toMatchObject({ reply: 'Fine, neither.' })
    expect(await world.results(session.id)).toEqual(['interrupted by a message', 'interrupted by a message'])
    expect(await world.inbox()).toEqual([])
    const dismissed = (await world.events(session.id)).filter(({ type }) => type === 'inbox.dismissed')
    expect(dismissed.map(({ data }) => data.reason)).toEqual(['a message came', 'a message came'])
  })
})
