import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { sessionsByPrefix } from '../../src/store/sessions.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

/** A session with an id of our choosing: a copy of a real one. */
async function named(world: World, start: string): Promise<string> {
  const { id } = await world.session()
  const chosen = start.padEnd(32, '0')
  await world.server.core.store.write((db) =>
    db.updateTable('sessions').set({ id: chosen }).where('id', '=', id).execute(),
  )
  return chosen
}

describe.each(storesInTurn(import.meta.filename))('handles on %s', (store) => {
  test('any unique prefix of four or more finds the session, in either case', async () => {
    const world = await createWorld({ store })
    const id = await named(world, 'abcd1')
    await named(world, 'abcd2')
    for (const ref of ['abcd1', 'ABCD1', 'abcd100', id]) expect((await world.look(ref)).id).toBe(id)
    expect((await world.look(id)).handle).toBe('abcd1')
    expect(await world.say('Abcd1', 'Hi')).toMatchObject({ sessionId: id, session: 'abcd1' })
  })

  test('is what agents and people see of a session, as short as it can be and as long as it must', async () => {
    const settings = { permissions: { allow: ['agent_send(session:*)'] } }
    const world = await createWorld({ store, settings })
    const sender = await named(world, 'abcd1')
    await named(world, 'abcd2')
    const reader = await named(world, 'beef1')
    const say = { name: 'agent_send', input: { to: reader, message: 'Hello' } }
    const give = { name: 'agent_spawn', input: { agent: 'researcher', instruction: 'Dig', wait: false } }
    world.vendor.script(() => ({ text: 'Dug.' }), { word: 'Dig' })
    world.vendor.script(({ messages }) => ({ text: `I read ${messages.length}` }), { word: 'Hello' })
    world.vendor.reply({ calls: [say, give] }, { text: 'Done.' })
    await world.say(sender, 'Go on')
    const sessions = await world.ok<{ items: Session[] }>('GET', '/api/sessions')
    const child = sessions.items.find(({ agent }) => agent === 'researcher')!
    const [sent, given] = await world.results(sender)
    expect([sent, given]).toMatchObject([{ session: 'beef' }, { session: child.handle }])
    const [heard] = await world.eventually(async () => {
      const log = await world.messages(reader)
      return log.length === 2 && log
    })
    expect(heard?.from).toEqual({ kind: 'agent', agent: 'assistant', sessionId: sender, handle: 'abcd1' })
    const seen = world.vendor.requests.find(({ lastUserText }) => lastUserText.endsWith('Hello'))
    expect(seen?.lastUserText).toBe('[message from assistant abcd1]\nHello')
    // A namesake that comes later changes nothing in what was sent: the model is shown the same history again.
    await named(world, 'abcd1f')
    await world.restart()
    await world.say(reader, 'And?')
    const again = world.vendor.requests.find(({ lastUserText }) => lastUserText.endsWith('And?'))
    expect(again?.messages[0]?.text).toBe('[message from assistant abcd1]\nHello')
  })

  test('an ambiguous one is answered with the candidates and asks for one more character', async () => {
    const world = await createWorld({ store })
    const first = await named(world, 'abcd1')
    await named(world, 'abcd2')
    const answer = await world.request('GET', '/api/sessions/abcd')
    expect(answer).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'session.ambiguous',
          hint: 'Add one more character.',
          details: { candidates: ['abcd1', 'abcd2'] },
        },
      },
    })
    const { store: rows, project } = world.server.core
    expect(await sessionsByPrefix(rows.read, project.id, 'abcd', 1)).toMatchObject([{ id: first }])
  })

  test('what cannot be a handle is refused before it meets the database', async () => {
    const world = await createWorld({ store })
    await named(world, 'abcd1')
    for (const ref of ['abc', 'abc%', 'abc_', '%%%%', 'abcd;', 'wxyz', `${'a'.repeat(65)}`]) {
      const answer = await world.request('GET', `/api/sessions/${encodeURIComponent(ref)}`)
      expect(answer, ref).toMatchObject({ status: 400, body: { error: { code: 'session.bad_ref' } } })
    }
  })

  test('dashes mean nothing but themselves', async () => {
    const world = await createWorld({ store })
    await named(world, 'abcd1')
    for (const ref of ['----', 'ab--cd1', '-abcd1']) {
      expect((await world.request('GET', `/api/sessions/${ref}`)).status, ref).toBe(404)
    }
  })

  test('an unknown one is answered with the open ones', async () => {
    const world = await createWorld({ store })
    const open = await named(world, 'abcd1')
    const closed = await named(world, 'beef1')
    await world.ok('POST', `/api/sessions/${closed}/close`)
    const answer = await world.request('GET', '/api/sessions/dead')
    expect(answer).toMatchObject({
      status: 404,
      body: { error: { code: 'session.not_found', details: { open: ['abcd'] } } },
    })
    expect(open).toMatch(/^abcd1/)
  })

  test('the handle of a deleted session never comes to mean another', async () => {
    const world = await createWorld({ store })
    const first = await named(world, 'abcd1')
    await world.ok('DELETE', `/api/sessions/${first}`)
    const second = await named(world, 'abcd2')
    expect((await world.look(second)).handle).toBe('abcd2')
    expect((await world.request('GET', '/api/sessions/abcd1')).status).toBe(410)
    expect((await world.request('POST', '/api/sessions/abcd1/messages', { content: 'Hi' })).status).toBe(410)
    expect((await world.request('GET', '/api/sessions/abcd')).status).toBe(409)
  })
})

test('a full id finds its session from any project, a handle only from its own', async () => {
  const world = await createWorld()
  const session = await world.session()
  const elsewhere = encodeURIComponent(world.home)
  expect(await world.ok<Session>('GET', `/api/sessions/${session.id}?project=${elsewhere}`)).toMatchObject({
    id: session.id,
  })
  expect((await world.request('GET', `/api/sessions/${session.handle}?project=${elsewhere}`)).status).toBe(404)
})
