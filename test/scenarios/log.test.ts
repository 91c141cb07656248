import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { storesInTurn } from '../kit/database.ts'
import { files, read, withCalls } from '../kit/logs.ts'
import { sessionOf } from '../kit/records.ts'
import { parts, spawn } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('the log on %s', (store) => {
  test('a fork of a child whose work is done is a chat that a person goes on with', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig')] }, { text: 'Given.' }],
      Dig: [{ text: 'Dug.' }],
    })
    await world.say((await world.session()).id, 'Start')
    const child = await sessionOf(world, 'writer')
    const fork = await world.ok<Session>('POST', `/api/sessions/${child.id}/fork`, {})
    expect(fork).toMatchObject({ mode: 'chat', agent: 'writer' })
    for (const words of ['Go on', 'And again']) expect(await world.say(fork.id, words)).toMatchObject({ end: 'done' })
  })

  test('a fork at a message with open calls answers them as not run', async () => {
    const world = await createWorld({ store, files })
    const { session, log } = await withCalls(world)
    const fork = await world.ok<Session>('POST', `/api/sessions/${session.id}/fork`, {
      at: log[1]?.id,
      title: 'Another way',
    })
    expect(fork).toMatchObject({ title: 'Another way', agent: 'assistant', status: 'idle', messageCount: 4 })
    expect(await world.results(fork.id)).toEqual(['not run in this fork', 'not run in this fork'])
    expect(await world.say(fork.id, 'Go on')).toMatchObject({ end: 'done' })
    const half = await world.ok<Session>('POST', `/api/sessions/${session.id}/fork`, { at: 3 })
    expect((await world.results(half.id))[1]).toBe('not run in this fork')
    expect(await world.say(half.id, 'Go on')).toMatchObject({ end: 'done' })
    expect(await world.messages(session.id)).toEqual(log)
  })

  test('a fork of the whole log is the same history under another id', async () => {
    const world = await createWorld({ store, files })
    const { session, log } = await withCalls(world)
    const fork = await world.ok<Session>('POST', `/api/sessions/${session.id}/fork`, {})
    const copy = await world.messages(fork.id)
    expect(copy.map(({ parts }) => parts)).toEqual(log.map(({ parts }) => parts))
    expect(copy[0]?.id).not.toBe(log[0]?.id)
    expect((await world.request('POST', `/api/sessions/${session.id}/fork`, { at: 99 })).status).toBe(404)
  })

  test('a fork before a message has none of it, and before the first one nothing at all', async () => {
    const world = await createWorld({ store, files })
    const { session, log } = await withCalls(world)
    world.vendor.reply({ text: 'Again.' })
    await world.say(session.id, 'Once more')
    const path = `/api/sessions/${session.id}/fork`
    const fork = await world.ok<Session>('POST', path, { before: log.length + 1 })
    expect((await world.messages(fork.id)).map(({ parts }) => parts)).toEqual(log.map(({ parts }) => parts))
    expect(await world.ok('POST', path, { before: log[0]?.id })).toMatchObject({ messageCount: 0, status: 'idle' })
    expect((await world.request('POST', path, { before: 99 })).status).toBe(404)
    expect((await world.request('POST', path, { at: 1, before: 2 })).status).toBe(400)
  })

  test('words are found in what was said, given to tools and returned by them, newest first, page by page', async () => {
    const world = await createWorld({ store, files })
    const { session, log } = await withCalls(world)
    const find = async (text: string, more = '') => {
      const path = `/api/sessions/${session.id}/found?text=${encodeURIComponent(text)}${more}`
      const { items, nextCursor } = await world.ok<{ items: { seq: number }[]; nextCursor?: string }>('GET', path)
      return { seqs: items.map(({ seq }) => seq), nextCursor }
    }
    const seqsWith = (words: string) =>
      log
        .filter(({ parts }) => JSON.stringify(parts).includes(words))
        .map(({ seq }) => seq)
        .toReversed()
    expect(await find('READ BOTH')).toEqual({ seqs: [1] })
    expect((await find('a.txt')).seqs).toEqual([2])
    expect((await find('alpha')).seqs).toEqual(seqsWith('alpha'))
    expect((await find('callId')).seqs).toEqual([])
    const first = await find('read', '&limit=1')
    expect(first.seqs).toEqual([log.at(-1)?.seq])
    expect(await find('read', `&limit=1&cursor=${first.nextCursor}`)).toMatchObject({ seqs: [1] })
    expect((await world.request('GET', `/api/sessions/${session.id}/found`)).status).toBe(400)
  })

  test('an edited message is what the model sees next, and is marked', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'Noted.' })
    const session = await world.session()
    await world.say(session.id, 'I like tea')
    const [first] = await world.messages(session.id)
    const path = `/api/sessions/${session.id}/messages/${first?.id}`
    expect(await world.ok('PATCH', path, { text: 'I like coffee' })).toMatchObject({ editedAt: expect.any(String) })
    await world.say(session.id, 'What do I like?')
    const seen = JSON.stringify(world.vendor.requests.at(-1)?.messages)
    expect(seen).toContain('coffee')
    expect(seen).not.toContain('tea')
  })

  test('a deleted message leaves a tombstone, and a deleted call takes its results with it', async () => {
    const world = await createWorld({ store, files })
    const { session, log } = await withCalls(world)
    await world.ok('DELETE', `/api/sessions/${session.id}/messages/${log[1]?.id}`)
    const after = await world.messages(session.id)
    expect(after.map(({ deletedAt, parts }) => [deletedAt !== undefined, parts.length])).toEqual([
      [false, 1],
      [true, 0],
      [true, 0],
      [true, 0],
      [false, 1],
    ])
    expect(await world.say(session.id, 'And now?')).toMatchObject({ end: 'done' })
    expect(JSON.stringify(world.vendor.requests.at(-1)?.messages)).not.toContain('alpha')
    expect((await world.request('DELETE', `/api/sessions/${session.id}/messages/${log[1]?.id}`)).status).toBe(404)
  })

  test('editing, deleting and forking are refused while the session is busy', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'Hi.' }, { calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] })
    const session = await world.session()
    await world.say(session.id, 'Hi')
    await world.say(session.id, 'Ask')
    const [first] = await world.messages(session.id)
    const path = `/api/sessions/${session.id}`
    for (const answer of [
      await world.request('PATCH', `${path}/messages/${first?.id}`, { text: 'x' }),
      await world.request('DELETE', `${path}/messages/${first?.id}`),
      await world.request('POST', `${path}/fork`, {}),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'session.busy' } } })
    }
  })

  test('no step of any turn rewrites or removes a message of the log', async () => {
    const world = await createWorld({ store, files })
    const { core } = world.server
    await core.store.write(async (db) => {
      if (store === 'sqlite') {
        for (const act of ['update', 'delete']) {
          await sql
            .raw(`create trigger no_${act} before ${act} on messages begin select raise(abort, 'written twice'); end`)
            .execute(db)
        }
      } else {
        await sql
          .raw(`create function no() returns trigger language plpgsql as $$ begin raise 'written twice'; end $$`)
          .execute(db)
        await sql
          .raw('create trigger no before update or delete on messages for each row execute function no()')
          .execute(db)
      }
    })
    world.vendor.script(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'Read.' }
        : { text: 'Reading.', calls: [read('a.txt'), read('b.txt')] },
    )
    const session = await world.session()
    let before: Message[] = []
    for (let turn = 0; turn < 6; turn++) {
      expect(await world.say(session.id, `Turn ${turn}`)).toMatchObject({ end: 'done' })
      const log = await world.messages(session.id)
      expect(log.slice(0, before.length)).toEqual(before)
      before = log
    }
    await world.restart()
    expect(await world.say(session.id, 'After a restart')).toMatchObject({ end: 'done' })
    expect((await world.messages(session.id)).slice(0, before.length)).toEqual(before)
  })
})

test('the database grows by the same for a turn with much history as for one with little', async () => {
  const world = await createWorld()
  world.vendor.script(() => ({ text: 'A reply of the same length every time.' }))
  const session = await world.session()
  const bytes = async () => {
    const { rows } = await sql<{
      bytes: number
    }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(
      world.server.core.store.read,
    )
    return rows[0]!.bytes
  }
  const grow = async (turns: number) => {
    const before = await bytes()
    for (let turn = 0; turn < turns; turn++) await world.say(session.id, 'A message of the same length every time.')
    return (await bytes()) - before
  }
  await grow(5)
  const early = await grow(20)
  const late = await grow(20)
  expect(late).toBeLessThan(early * 1.5)
})
