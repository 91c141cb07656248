import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const ask = { calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] }

/** Every row that belongs to the session, as text. */
async function rowsOf(world: World, session: string): Promise<string> {
  const db = world.server.core.store.read
  const tables = ['messages', 'mail', 'calls', 'turns', 'inbox', 'events', 'timers'] as const
  const rows = await Promise.all(
    tables.map((table) => db.selectFrom(table).selectAll().where('session_id', '=', session).execute()),
  )
  return JSON.stringify([rows, await db.selectFrom('sessions').selectAll().where('id', '=', session).execute()])
}

describe.each(storesInTurn(import.meta.filename))('the life of a session on %s', (store) => {
  test('of ten creations with one clientId at once, one session comes', async () => {
    const world = await createWorld({ store })
    const made = await Promise.all(Array.from({ length: 10 }, () => world.session({ clientId: 'once' })))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  })

  test('closing a running one ends its turn; the next message reopens it', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'On and on', hang: true }, { text: 'Back.' })
    const session = await world.session()
    const heard = world.streams('On and')
    const mail = await world.send(session.id, 'Talk')
    await heard
    await world.ok('POST', `/api/sessions/${session.id}/close`)
    expect(await world.settled(mail.mailId)).toMatchObject({ ended: true, end: 'closed' })
    const closed = await world.look(session.id)
    expect(closed).toMatchObject({ status: 'closed', closedAt: expect.any(String) })
    expect(await world.ok('POST', `/api/sessions/${session.id}/close`)).toEqual(closed)
    expect(await world.say(session.id, 'Hello?')).toMatchObject({ outcome: 'started', reply: 'Back.' })
  })

  test('closing a waiting one takes its question out of the inbox', async () => {
    const world = await createWorld({ store })
    world.vendor.reply(ask)
    const session = await world.session()
    await world.say(session.id, 'Go')
    await world.ok('POST', `/api/sessions/${session.id}/close`)
    await world.reaches(session.id, 'closed')
    expect(await world.inbox()).toEqual([])
    await world.ok('POST', `/api/sessions/${session.id}/reopen`)
    expect(await world.say(session.id, 'Again')).toMatchObject({ end: 'done' })
  })

  test('a paused one that is closed and reopened has no reason left', async () => {
    const world = await createWorld({ store })
    const { id } = await world.session()
    for (const word of ['pause', 'close', 'reopen']) await world.ok('POST', `/api/sessions/${id}/${word}`)
    const { status, reason } = await world.look(id)
    expect([status, reason]).toEqual(['idle', undefined])
  })

  test('deleting a running one: nothing is written for it any more', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    world.vendor.reply({ text: 'Too late.', delay: gate.promise })
    const session = await world.session()
    await world.send(session.id, 'Hi')
    await world.eventually(async () => world.vendor.requests.length === 1)
    await world.ok('DELETE', `/api/sessions/${session.id}`)
    const left = await rowsOf(world, session.id)
    gate.resolve()
    // The server lets go of everything that still runs before it has stopped.
    await world.restart()
    expect(await rowsOf(world, session.id)).toBe(left)
    const gone = await world.request('GET', `/api/sessions/${session.id}`)
    expect(gone.status).toBe(410)
    expect((await world.ok<{ items: unknown[] }>('GET', '/api/sessions')).items).toEqual([])
  })

  test('deleting a waiting one dismisses its question and tells the senders of unread mail', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [...ask.calls, ...ask.calls] })
    const session = await world.session()
    await world.say(session.id, 'Go')
    const [item] = await world.inbox()
    const unread = await world.send(session.id, 'One more thing')
    await world.ok('DELETE', `/api/sessions/${session.id}`)
    expect(await world.inbox()).toEqual([])
    expect((await world.request('POST', `/api/inbox/${item?.id}/answer`, { answer: 'Yes' })).status).toBe(409)
    expect(await world.ok('GET', `/api/mail/${unread.mailId}?wait=5`)).toMatchObject({
      state: 'undeliverable',
      ended: true,
    })
  })

  test('clear removes the history, keeps unread mail and identity, and is refused while busy', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'I will remember.' }, ask, { text: 'Fresh.' })
    const session = await world.session()
    await world.say(session.id, 'Remember the number 42')
    await world.say(session.id, 'Ask me')
    const busy = await world.request('POST', `/api/sessions/${session.id}/clear`)
    expect(busy.status).toBe(409)
    expect(busy.body).toMatchObject({ error: { code: 'session.busy', hint: expect.stringContaining('Cancel') } })
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    await world.reaches(session.id, 'idle')
    const cleared = await world.ok('POST', `/api/sessions/${session.id}/clear`)
    expect(cleared).toMatchObject({ id: session.id, handle: session.handle, messageCount: 0, lastSnippet: '' })
    expect(await world.messages(session.id)).toEqual([])
    await world.say(session.id, 'Which number?')
    expect(JSON.stringify(world.vendor.requests.at(-1)?.messages)).not.toContain('42')
    expect((await world.messages(session.id)).map(({ parts }) => textOf(parts))).toEqual(['Which number?', 'Fresh.'])
  })

  test('rename, pin, attributes and read marks are kept and told', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    await world.say(session.id, 'The first line becomes the title\nnot the second')
    expect((await world.look(session.id)).title).toBe('The first line becomes the title')
    const path = `/api/sessions/${session.id}`
    await world.ok('PATCH', path, { title: 'Mine', pinned: true, attributes: { folder: 'work', n: [1] } })
    await world.ok('POST', `${path}/read`, { seq: 1 })
    await world.ok('POST', `${path}/read`, { seq: 99 })
    await world.ok('POST', `${path}/read`, { seq: 1 })
    const after = await world.look(session.id)
    expect(after).toMatchObject({
      title: 'Mine',
      pinnedAt: expect.any(String),
      attributes: { folder: 'work', n: [1] },
      readSeq: 2,
    })
    const unpinned = await world.ok('PATCH', path, { pinned: false })
    expect(unpinned.pinnedAt).toBeUndefined()
    const changed = (await world.events(session.id)).filter(({ type }) => type === 'session.updated')
    expect(changed.map(({ data }) => data.changed)).toContainEqual({
      title: 'Mine',
      pinned: true,
      attributes: { folder: 'work', n: [1] },
    })
  })

  test('the list shows the most recently updated first, finds by text, and leaves out the deleted', async () => {
    const world = await createWorld({ store })
    const first = await world.session({ title: 'apples' })
    const second = await world.session({ title: 'pears 100%', agent: 'writer' })
    const third = await world.session({ title: 'plums' })
    await world.ok('DELETE', `/api/sessions/${third.id}`)
    await world.say(first.id, 'Hi')
    const ids = async (query: string) =>
      (await world.ok<{ items: { id: string }[] }>('GET', `/api/sessions?${query}`)).items.map(({ id }) => id)
    expect(await ids('')).toEqual([first.id, second.id])
    expect(await ids('agent=writer')).toEqual([second.id])
    expect(await ids('q=PEARS')).toEqual([second.id])
    expect(await ids(`q=${encodeURIComponent('%')}`)).toEqual([second.id])
    const page = await world.ok<{ nextCursor: string }>('GET', '/api/sessions?limit=1')
    expect(await ids(`limit=1&cursor=${page.nextCursor}`)).toEqual([second.id])
  })
})

test('the same clientId makes one session', async () => {
  const world = await createWorld()
  const first = await world.session({ clientId: 'mine' })
  expect((await world.session({ clientId: 'mine' })).id).toBe(first.id)
})

test('a session of an agent that is not there, or in a folder outside or protected, is refused by name', async () => {
  const world = await createWorld()
  const unknown = await world.request('POST', '/api/sessions', { agent: 'nobody' })
  expect(unknown).toMatchObject({
    status: 404,
    body: { error: { code: 'agent.not_found', hint: expect.stringContaining('assistant') } },
  })
  mkdirSync(join(world.project, '.git/hooks'), { recursive: true })
  for (const workspace of ['..', '.git', '.git/hooks']) {
    const outside = await world.request('POST', '/api/sessions', { agent: 'assistant', workspace })
    expect(outside).toMatchObject({ status: 403, body: { error: { code: 'path.outside' } } })
  }
})
