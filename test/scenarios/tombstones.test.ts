import { describe, expect, test } from 'vitest'
import { type Message, textOf } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { createHistoryCache } from '../../src/core/sessions/history.ts'
import { editMessage } from '../../src/core/sessions/log.ts'
import { requestAs } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const KEY = 'sk-test-0123456789abcdefghijklmnop'

const textsBefore = ({ replaced = [] }: Message) => replaced.map(({ parts }) => textOf(parts))
const first = async (world: World, session: Session) => (await world.messages(session.id))[0]!
const exported = async (world: World, session: Session, format: string) =>
  (await world.request<string>('GET', `/api/sessions/${session.id}/export?format=${format}`)).body

/** One message of the person, edited twice. */
async function edited(world: World) {
  world.vendor.script(() => ({ text: 'Noted.' }))
  const session = await world.session({ title: 'Drinks' })
  await world.say(session.id, 'I like tea')
  const path = `/api/sessions/${session.id}/messages/${(await first(world, session)).id}`
  await world.ok('PATCH', path, { text: 'I like coffee' })
  expect(await world.ok<Message>('PATCH', path, { text: 'I like water' })).toMatchObject({
    replaced: [{ parts: [{ text: 'I like tea' }] }, { parts: [{ text: 'I like coffee' }] }],
  })
  return { session, path }
}

describe.each(storesInTurn(import.meta.filename))('what a person edited or deleted, on %s', (store) => {
  test('stays in the log for people, each text it had, and in every export; the model sees the newest alone', async () => {
    const world = await createWorld({ store })
    const { session } = await edited(world)
    const message = await first(world, session)
    expect([textOf(message.parts), ...textsBefore(message)]).toEqual(['I like water', 'I like tea', 'I like coffee'])
    expect(await exported(world, session, 'md')).toMatch(
      /## human \(edited\)\n\nI like water\n\n_\(replaced \S+\)_\n\n> I like tea\n\n_\(replaced \S+\)_\n\n> I like coffee\n/,
    )
    expect(textsBefore(JSON.parse((await exported(world, session, 'jsonl')).split('\n', 1)[0]!))).toHaveLength(2)
    await world.restart()
    await world.say(session.id, 'What do I like?')
    const seen = JSON.stringify(world.vendor.requests.at(-1)?.messages)
    expect(seen).toContain('water')
    expect(seen).not.toMatch(/tea|coffee/)
  })

  test('stays when it is deleted, results of calls as well, until the log is cleared', async () => {
    const world = await createWorld({ store, files: { 'a.txt': 'alpha' } })
    world.vendor.reply({ text: 'Let me see.', calls: [{ name: 'read_file', input: { path: 'a.txt' } }] })
    const session = await world.session()
    await world.say(session.id, 'Read it')
    const log = await world.messages(session.id)
    await world.ok('DELETE', `/api/sessions/${session.id}/messages/${log[1]!.id}`)
    const after = await world.messages(session.id)
    for (const at of [1, 2]) {
      expect(after[at]).toMatchObject({ parts: [], replaced: [{ parts: log[at]!.parts }] })
    }
    expect(await exported(world, session, 'md')).toMatch(/_\(deleted\)_\n\n_\(replaced \S+\)_\n\n> Let me see\./)
    await world.say(session.id, 'And now?')
    expect(JSON.stringify(world.vendor.requests.at(-1)?.messages)).not.toMatch(/Let me see|alpha/)
    await world.ok('POST', `/api/sessions/${session.id}/clear`)
    const { store: rows } = world.server.core
    expect(await rows.read.selectFrom('tombstones').selectAll().execute()).toEqual([])
  })

  test('is not shown to the session itself, whose process reads the same log', async () => {
    const world = await createWorld({ store })
    const { session, path } = await edited(world)
    await world.ok('DELETE', path)
    const own = `/api/sessions/${session.id}`
    const { body } = await requestAs<{ items: Message[] }>(world, session, 'GET', `${own}/messages`)
    expect(body.items[0]).toMatchObject({ parts: [], deletedAt: expect.any(String) })
    expect(JSON.stringify(body)).not.toMatch(/tea|coffee|water/)
    const url = `${world.server.url}${own}/export?format=md`
    const headers = { authorization: `Bearer ${world.server.core.tokenOf(session.id)}` }
    expect(await (await fetch(url, { headers })).text()).not.toMatch(/tea|coffee|water/)
    expect(textsBefore(await first(world, session))).toEqual(['I like tea', 'I like coffee', 'I like water'])
  })

  test('holds no secret, neither before nor after', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    await world.say(session.id, `My key is ${KEY}`)
    const path = `/api/sessions/${session.id}/messages/${(await first(world, session)).id}`
    const rather = await world.ok<Message>('PATCH', path, { text: `Rather this one: ${KEY}` })
    expect(textOf(rather.parts)).toBe('Rather this one: [secret]')
    await world.ok('PATCH', path, { text: 'None.' })
    const message = await first(world, session)
    expect(textsBefore(message)).toEqual(['My key is [secret]', 'Rather this one: [secret]'])
  })

  test('is noticed by a server that remembers the log as it was, also when another process changed it', async () => {
    const world = await createWorld({ store })
    world.vendor.script(() => ({ text: 'Noted.' }))
    const session = await world.session()
    await world.say(session.id, 'I like tea')
    await world.say(session.id, 'Remember that')
    const { core } = world.server
    // Another process: the same store, and a memory of its own.
    const another = { ...core, histories: createHistoryCache(1_000_000) }
    await editMessage(another, session.id, (await first(world, session)).id, 'I like coffee')
    await world.say(session.id, 'What do I like?')
    const seen = JSON.stringify(world.vendor.requests.at(-1)?.messages)
    expect(seen).toContain('coffee')
    expect(seen).not.toContain('tea')
  })
})
