import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MAIL_LIMIT, MAILBOX_LIMIT } from '../../src/contract/mail.ts'
import { textOf } from '../../src/contract/messages.ts'
import { deliver } from '../../src/core/mail/deliver.ts'
import { stores } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

const bashAllowed = { permissions: { allow: ['bash'] } }
/** A command that ends when the test makes the file. */
const untilFile = (file: string) => `while [ ! -e ${file} ]; do sleep 0.02; done; echo seen`

describe.each(stores)('mail on %s', (store) => {
  test('the same clientId again gives the first receipt and nothing twice', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    const first = await world.say(session.id, 'Hi', { clientId: 'c1' })
    const again = await world.send(session.id, 'Hi', { clientId: 'c1' })
    expect(again).toMatchObject({ mailId: first.mailId, outcome: 'started', at: first.at, session: first.session })
    const both = await Promise.all([1, 2, 3].map(() => world.send(session.id, 'Ho', { clientId: 'c2' })))
    expect(new Set(both.map(({ mailId }) => mailId)).size).toBe(1)
    await world.settled(both[0]!.mailId)
    expect((await world.messages(session.id)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ])
  })

  test('the same clientId again makes no second session', async () => {
    const world = await createWorld({ store })
    const body = { to: 'assistant', session: 'create', content: 'Hi', clientId: 'c1', wait: 20 }
    const first = await world.ok('POST', '/api/mail', body)
    const again = await world.ok('POST', '/api/mail', body)
    expect(again.mailId).toBe(first.mailId)
    expect((await world.ok<{ items: unknown[] }>('GET', '/api/sessions')).items).toHaveLength(1)
  })

  test('waiting ends with 202 and what it waits for when the turn parks, and goes on by the mail’s id', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] }, { text: 'Good.' })
    const session = await world.session()
    const parked = await world.request<{ mailId: string }>('POST', `/api/sessions/${session.id}/messages`, {
      content: 'Go',
      wait: 20,
    })
    const [item] = await world.inbox()
    expect(parked.status).toBe(202)
    expect(parked.body).toMatchObject({
      ended: false,
      waits: [{ inboxId: item?.id, tool: 'ask_human', kind: 'question' }],
    })
    const still = await world.request('GET', `/api/mail/${parked.body.mailId}?wait=true`)
    expect(still.status).toBe(202)
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { answer: 'Yes' })
    const done = await world.request('GET', `/api/mail/${parked.body.mailId}?wait=20`)
    expect(done.status).toBe(200)
    expect(done.body).toMatchObject({
      ended: true,
      end: 'done',
      reply: 'Good.',
      toolCalls: [{ name: 'ask_human', ok: true }],
    })
  })

  test('waiting for longer than asked answers with where the mail is', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    world.vendor.reply({ text: 'At last.', delay: gate.promise })
    const session = await world.session()
    const reply = await world.send(session.id, 'Hi', { wait: 0.01 })
    expect(reply.ended).toBe(false)
    gate.resolve()
    expect(await world.settled(reply.mailId)).toMatchObject({ reply: 'At last.' })
  })

  test('mail whose time is up before it could be read expires and never reaches the model', async () => {
    let now = Date.now()
    const world = await createWorld({ store, clock: { now: () => now } })
    const session = await world.session()
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    const short = await world.send(session.id, 'Only now', { ttl: 60 })
    const long = await world.send(session.id, 'Any time', { ttl: 3600 })
    now += 61_000
    await world.ok('POST', `/api/sessions/${session.id}/resume`)
    expect(await world.settled(long.mailId)).toMatchObject({ state: 'taken', end: 'done' })
    expect(await world.settled(short.mailId)).toMatchObject({ state: 'expired', ended: true })
    expect((await world.messages(session.id)).map(({ parts }) => textOf(parts))[0]).toBe('Any time')
    expect((await world.events(session.id)).filter(({ type }) => type === 'mail.expired')).toHaveLength(1)
  })

  test('mail expires by itself while nobody looks', async () => {
    let now = Date.now()
    const world = await createWorld({ store, clock: { now: () => now } })
    const session = await world.session()
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    const mail = await world.send(session.id, 'Only now', { ttl: 60 })
    now += 61_000
    await world.restart()
    await world.eventually(async () => (await world.ok('GET', `/api/mail/${mail.mailId}`)).state === 'expired')
  })

  test('a mailbox takes a thousand, then refuses with the way out', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    const { core } = world.server
    await deliver(core, { to: session.id, from: { kind: 'human' }, content: 'the first' })
    // As rows: a thousand requests would only test the network.
    await core.store.write(async (db) => {
      const row = await db.selectFrom('mail').selectAll().executeTakeFirstOrThrow()
      const more = Array.from({ length: MAILBOX_LIMIT - 2 }, (_, index) => ({
        ...row,
        id: `mail_${index}`,
        position: index + 2,
      }))
      await db.insertInto('mail').values(more).execute()
      await db.updateTable('sessions').set({ next_mail: MAILBOX_LIMIT }).execute()
    })
    await world.send(session.id, 'the thousandth')
    const refused = await world.request('POST', `/api/sessions/${session.id}/messages`, { content: 'one too many' })
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ error: { code: 'mail.box_full', hint: expect.stringContaining('resume') } })
    const { items } = await world.ok<{ items: unknown[] }>('GET', `/api/mail?session=${session.id}`)
    expect(items).toHaveLength(MAILBOX_LIMIT)
  })

  test('mail of one sender is read in the order it was sent', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    world.vendor.reply({ text: 'First.', delay: gate.promise })
    const session = await world.session()
    await world.send(session.id, 'start')
    await world.reaches(session.id, 'running')
    const words = ['a', 'b', 'c', 'd', 'e']
    for (const word of words) await world.send(session.id, word)
    gate.resolve()
    await world.reaches(session.id, 'idle')
    const said = (await world.messages(session.id))
      .filter(({ role }) => role === 'user')
      .map(({ parts }) => textOf(parts))
    expect(said).toEqual(['start', ...words])
  })

  test('mail that comes during a command is placed behind the last result of its step', async () => {
    const world = await createWorld({ store, settings: bashAllowed })
    world.vendor.reply(
      {
        calls: [
          { name: 'bash', input: { command: untilFile('go') } },
          { name: 'bash', input: { command: 'echo second' } },
        ],
      },
      { text: 'Done.' },
    )
    const session = await world.session({ agent: 'coder' })
    await world.send(session.id, 'Run both')
    await world.eventually(async () => (await world.events(session.id)).some(({ type }) => type === 'tool.started'))
    const mail = await world.send(session.id, 'By the way')
    writeFileSync(join(world.project, 'go'), '')
    await world.settled(mail.mailId)
    expect((await world.messages(session.id)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
      'assistant',
    ])
    expect(await world.results(session.id)).toEqual(['seen', 'second'])
    expect(world.vendor.requests[1]?.lastUserText).toContain('By the way')
  })

  test('one long mail shows its beginning and how to read the rest', async () => {
    const world = await createWorld({ store })
    world.vendor.script((request) => {
      const id = /mail:(mail_\w+)/.exec(request.lastUserText)?.[1]
      return request.messages.some(({ role }) => role === 'tool')
        ? { text: 'Read all.' }
        : { calls: [{ name: 'read_file', input: { path: `mail:${id}`, limit: 5000 } }] }
    })
    const session = await world.session()
    const reply = await world.say(session.id, `${'x'.repeat(20_000)} the end`)
    expect(reply.reply).toBe('Read all.')
    expect(textOf((await world.messages(session.id))[0]!.parts).length).toBeLessThan(17_000)
    expect((await world.results(session.id))[0]).toContain('the end')
  })
})

test('a mail above 256 KB is refused with the way out, one of exactly that size is taken', async () => {
  const world = await createWorld()
  const session = await world.session()
  await world.ok('POST', `/api/sessions/${session.id}/pause`)
  const refused = await world.request('POST', `/api/sessions/${session.id}/messages`, {
    content: 'é'.repeat(MAIL_LIMIT / 2 + 1),
  })
  expect(refused.status).toBe(413)
  expect(refused.body).toMatchObject({ error: { code: 'mail.too_large', hint: expect.stringContaining('file') } })
  await world.send(session.id, 'é'.repeat(MAIL_LIMIT / 2))
})

test('a safe point takes as much mail as fits, the rest comes at the next one', async () => {
  const world = await createWorld()
  const session = await world.session()
  await world.ok('POST', `/api/sessions/${session.id}/pause`)
  const sent = []
  for (const letter of ['a', 'b', 'c', 'd']) sent.push(await world.send(session.id, letter.repeat(15_000)))
  await world.ok('POST', `/api/sessions/${session.id}/resume`)
  expect(await world.settled(sent[3]!.mailId)).toMatchObject({ end: 'done' })
  const said = (await world.messages(session.id)).map(({ role, parts }) => (role === 'user' ? textOf(parts)[0] : '-'))
  expect(said.join('')).toMatch(/^ab-cd-$/)
})

test('an address nobody has is answered with who can be reached', async () => {
  const world = await createWorld()
  const answer = await world.request('POST', '/api/mail', { to: 'nobody', content: 'Hi' })
  expect(answer.status).toBe(404)
  expect(answer.body).toMatchObject({ error: { code: 'address.unknown', hint: expect.stringContaining('assistant') } })
})

test('mail to an agent goes to its latest session, or makes one', async () => {
  const world = await createWorld()
  const first = await world.ok('POST', '/api/mail', { to: 'writer', content: 'Hi', wait: 20 })
  const second = await world.ok('POST', '/api/mail', { to: 'writer', content: 'Hi again', wait: 20 })
  const third = await world.ok('POST', '/api/mail', { to: 'writer', session: 'create', content: 'New', wait: 20 })
  expect(second.sessionId).toBe(first.sessionId)
  expect(third.sessionId).not.toBe(first.sessionId)
  const latest = await world.ok('POST', '/api/mail', { to: 'writer', session: 'latest', content: 'Hi', wait: 20 })
  expect(latest.sessionId).toBe(third.sessionId)
})
