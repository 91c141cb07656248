import { describe, expect, test } from 'vitest'
import type { Reply } from '../../src/contract/api.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { cast, requestAs, sendAs } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { makeFolder } from '../kit/files.ts'
import { heard, sessionOf } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const tell = (to: string, message: string, more = {}) => ({
  calls: [{ name: 'agent_send', input: { to, message, ...more } }],
})
const spawn = (agent: string, instruction: string, wait: boolean) => ({
  calls: [{ name: 'agent_spawn', input: { agent, instruction, wait } }],
})
const three = { ann: {}, ben: {}, cyd: {} }

interface Refused {
  error: { code: string; message: string; hint: string; details?: unknown }
}

/** What a session is told that cannot write to there; always with whom it can reach. */
async function refusal(world: World, session: Pick<Session, 'id'>, to: string, more = {}): Promise<Refused['error']> {
  const path = '/api/mail'
  const { status, body } = await requestAs<Refused>(world, session, 'POST', path, { to, content: 'Hi', ...more })
  expect(status, to).toBeGreaterThanOrEqual(400)
  expect(body.error.hint, to).toMatch(/You can reach: .*human\.$/)
  return body.error
}

/** The same for the person. */
const personRefusal = async (world: World, to: string): Promise<Refused['error']> =>
  (await world.request<Refused>('POST', '/api/mail', { to, content: 'Hi' })).body.error

/** A session with an id of our choosing. */
async function named(world: World, start: string, agent = 'ben'): Promise<string> {
  const { id } = await world.session({ agent })
  const chosen = start.padEnd(32, '0')
  await world.server.core.store.write((db) =>
    db.updateTable('sessions').set({ id: chosen }).where('id', '=', id).execute(),
  )
  return chosen
}

describe.each(storesInTurn(import.meta.filename))('addresses on %s', (store) => {
  test('an agent is its latest session, made when there is none, a new one, or the one that is named', async () => {
    const world = await createWorld({ store, files: cast(three) })
    const ann = await world.session({ agent: 'ann' })
    expect(await refusal(world, ann, 'ben', { session: 'latest' })).toMatchObject({ code: 'address.unknown' })
    const first = await sendAs(world, ann, { to: 'ben', content: 'one' })
    expect((await sendAs(world, ann, { to: 'ben', content: 'two' })).sessionId).toBe(first.sessionId)
    const second = await sendAs(world, ann, { to: 'ben', content: 'three', session: 'create' })
    expect(second.sessionId).not.toBe(first.sessionId)
    await world.settled(second.mailId)
    await world.say(first.sessionId!, 'The newest word')
    expect((await sendAs(world, ann, { to: 'ben', content: 'four', session: 'latest' })).sessionId).toBe(
      first.sessionId,
    )

    world.vendor.queue({ model: 'ann' }, tell('cyd', 'Hello'), tell('cyd', 'Again', { session: 'create' }))
    await world.say(ann.id, 'Write to cyd')
    expect(await world.results(ann.id)).toMatchObject([{ created: true }, { created: true }])
    const person = (session: string) => world.ok<Reply>('POST', '/api/mail', { to: 'ben', content: 'Hi', session })
    expect((await person(second.sessionId!)).sessionId).toBe(second.sessionId)
    const wrong = await world.request('POST', '/api/mail', { to: 'ben', content: 'Hi', session: ann.id })
    expect(wrong).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('not one of ben') } },
    })
  })

  test('a child reaches its parent, the parent its child, by handle and by task; others do not', async () => {
    const world = await createWorld({ store, files: cast(three) })
    const gate = Promise.withResolvers<void>()
    world.vendor.queue({ model: 'ben' }, tell('parent', 'Which field?'), { text: 'Dug.', delay: gate.promise })
    world.vendor.queue({ model: 'ann' }, spawn('ben', 'Dig.', false))
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Have it dug')
    const child = await sessionOf(world, 'ben')
    await world.eventually(async () => (await heard(world, ann)).includes('Which field?'))
    const [mail] = (await world.messages(ann.id)).filter(({ from }) => from?.sessionId === child.id)
    expect(mail?.from).toMatchObject({ kind: 'agent', agent: 'ben' })
    for (const to of [`task:${child.taskId}`, child.handle, `session:${child.handle.toUpperCase()}`]) {
      expect((await sendAs(world, ann, { to, content: to })).sessionId).toBe(child.id)
    }
    const { hint } = await refusal(world, ann, 'nobody-here')
    expect(hint).toContain(`your children ${child.handle}`)
    expect((await refusal(world, child, 'nobody-here')).hint).toContain('; parent;')

    const stranger = await world.session({ agent: 'cyd' })
    for (const to of [`task:${child.taskId}`, child.handle, ann.id]) {
      expect((await refusal(world, stranger, to)).code).toBe('address.not_allowed')
    }
    expect((await refusal(world, stranger, 'parent')).message).toContain('no parent')
    expect((await refusal(world, ann, 'task:task_0000')).code).toBe('task.not_found')
    gate.resolve()
    await world.eventually(async () => (await heard(world, ann)).some((text) => text.includes('finished.')))
    const ended = await requestAs(world, ann, 'POST', '/api/mail', { to: `task:${child.taskId}`, content: 'More' })
    expect(ended).toMatchObject({ status: 410, body: { error: { code: 'mail.undeliverable' } } })
  })

  test('the person has an inbox: one item a message, once however often it is sent', async () => {
    const world = await createWorld({ store, files: cast(three) })
    world.vendor.queue({ model: 'ann' }, tell('human', 'Lunch is ready.\nCome down.'))
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Cook')
    const [first, ...more] = await world.inbox()
    expect(more).toEqual([])
    expect(first).toMatchObject({
      kind: 'message',
      title: `ann ${ann.handle}: Lunch is ready.`,
      body: 'Lunch is ready.\nCome down.',
      from: { kind: 'agent', agent: 'ann', sessionId: ann.id },
    })
    expect(await world.results(ann.id)).toMatchObject([{ inboxId: first?.id }])
    const again = { to: 'human', content: 'And dessert', clientId: 'dessert' }
    const ids = [await sendAs(world, ann, again), await sendAs(world, ann, again)]
    expect(ids[0]).toEqual(ids[1])
    expect(await world.inbox()).toHaveLength(2)
    for (const to of ['human', 'parent']) expect((await personRefusal(world, to)).hint).toContain('Agents: ann')
  })

  test('whoever writes to itself is told so, and how to reach another of its kind', async () => {
    const world = await createWorld({ store, files: cast(three) })
    const ann = await world.session({ agent: 'ann' })
    for (const to of [ann.id, ann.handle, `session:${ann.handle}`, 'ann']) {
      expect(await refusal(world, ann, to)).toMatchObject({ code: 'address.self' })
    }
    const other = await sendAs(world, ann, { to: 'ann', session: 'create', content: 'Hello, me' })
    expect(other.sessionId).not.toBe(ann.id)
    expect(await heard(world, ann)).toEqual([])
  })

  test('what is no address is refused before it meets the database', async () => {
    const world = await createWorld({ store, files: cast(three) })
    const ann = await world.session({ agent: 'ann' })
    await named(world, 'abcd1')
    for (const to of ['nobody', 'latest', 'system', 'trigger', 'session', 'task', 'abc', 'abc%', 'abc_', '%%%%', '']) {
      if (to !== '') expect((await refusal(world, ann, to)).code, to).toBe('address.unknown')
      const written = await refusal(world, ann, `session:${to}`)
      expect(written.code, to).toBe('session.bad_ref')
    }
    for (const to of ['worker:Alice', 'node:n1', 'stage:s1', '*']) {
      expect((await refusal(world, ann, to)).message, to).toContain('inside a run')
    }
    for (const to of ['ABC%', 'Ben', 'ben ', 'x'.repeat(200)]) {
      expect((await refusal(world, ann, to)).code, to).toBe('address.unknown')
    }
  })

  test('a handle that fits several names them, one that fits none the open ones, a deleted one takes no mail', async () => {
    const world = await createWorld({
      store,
      files: cast({ ann: { permissions: { allow: ['agent_send(session:*)'] } }, ben: {} }),
    })
    const ann = await world.session({ agent: 'ann' })
    const [one] = [await named(world, 'abcd1'), await named(world, 'abcd2')]
    expect(await refusal(world, ann, 'abcd')).toMatchObject({
      code: 'session.ambiguous',
      message: expect.stringContaining('abcd1, abcd2'),
      hint: expect.stringContaining('Add one more character.'),
      details: { candidates: ['abcd1', 'abcd2'] },
    })
    expect((await sendAs(world, ann, { to: 'ABCD1', content: 'Hi' })).sessionId).toBe(one)
    expect(await refusal(world, ann, 'abcd3')).toMatchObject({
      code: 'session.not_found',
      hint: expect.stringContaining('abcd2'),
    })
    await world.reaches(one, 'idle')
    await world.ok('DELETE', `/api/sessions/${one}`)
    expect(await refusal(world, ann, 'abcd1')).toMatchObject({ code: 'mail.undeliverable' })
    world.vendor.queue({ model: 'ann' }, { calls: [{ name: 'agent_message', input: { to: 'abcd1', message: 'Hi' } }] })
    await world.say(ann.id, 'Ask it')
    expect(await world.results(ann.id)).toMatchObject([
      {
        status: 'refused',
        response: expect.stringContaining(
          'was deleted. It does not come back: use another. You can reach: assistant, ben',
        ),
      },
    ])
  })

  test('a session of another project is not there, whatever the rules say', async () => {
    const rules = { permissions: { allow: ['agent_send(session:*)'] } }
    const world = await createWorld({ store, settings: rules, files: cast(three) })
    const folder = makeFolder()
    const there = await world.ok<Session>('POST', `/api/sessions?project=${encodeURIComponent(folder)}`, {
      agent: 'ben',
    })
    const ann = await world.session({ agent: 'ann' })
    for (const to of [there.id, there.handle, `session:${there.id}`]) {
      expect((await refusal(world, ann, to)).code).toBe('session.not_found')
    }
    // By name it is another session: one of this project.
    expect((await sendAs(world, ann, { to: 'ben', content: 'Hi' })).sessionId).not.toBe(there.id)
    expect(await heard(world, there)).toEqual([])
  })

  test('an agent reaches by name whom its definition gives it, and what it makes reaches no further', async () => {
    const files = cast({
      ...three,
      ann: { agents: { allow: ['b*', 'cyd'], deny: ['bad-*'] } },
      'bad-ben': {},
      dan: { visible: false },
    })
    const world = await createWorld({ store, files })
    const ann = await world.session({ agent: 'ann' })
    const made = await sendAs(world, ann, { to: 'ben', content: 'Hi' })
    for (const to of ['dan', 'bad-ben', 'writer', 'ann']) {
      const { code, hint } = await refusal(world, ann, to, { session: 'create' })
      expect([code, hint], to).toEqual(['address.not_allowed', 'You can reach: ben, cyd; human.'])
    }
    // Not more than its maker, though its own definition gives it everyone.
    expect((await refusal(world, { id: made.sessionId! }, 'dan')).hint).toContain('You can reach: cyd; human.')
    world.vendor.queue({ model: 'ann' }, tell('dan', 'Hi'), spawn('dan', 'Dig.', true))
    await world.say(ann.id, 'Write to dan')
    expect(await world.results(ann.id)).toEqual([
      expect.stringMatching(/^You may not reach dan\. You can reach: ben, cyd/),
      expect.stringMatching(/^You may not spawn dan\. You can reach: ben, cyd/),
    ])
    const free = await world.session({ agent: 'cyd' })
    expect((await sendAs(world, free, { to: 'dan', content: 'Hi' })).session).toBeDefined()
  })

  test('any other session is reached by a rule that names it, by none that means everything', async () => {
    const files = cast({
      ...three,
      wide: { permissions: { allow: ['*', 'agent_send', 'agent_message', '*(session:*)'] } },
      both: { permissions: { allow: ['agent_send(session:*)'] } },
      one: { permissions: { allow: ['agent_send(session:abcd*)'] } },
    })
    const world = await createWorld({ store, files })
    const target = await named(world, 'abcd1')
    const other = await named(world, 'beef1')
    const question = (to: string) => ({ calls: [{ name: 'agent_message', input: { to, message: 'Hi?' } }] })
    for (const agent of ['ann', 'wide']) {
      const session = await world.session({ agent })
      expect((await refusal(world, session, target)).code, agent).toBe('address.not_allowed')
      world.vendor.queue({ model: agent }, tell(target, 'Hi'), question(target))
      await world.say(session.id, 'Write')
      const says = expect.stringContaining('not yours to address')
      expect(await world.results(session.id)).toMatchObject([says, { status: 'refused', response: says }])
    }
    const both = await world.session({ agent: 'both' })
    world.vendor.queue({ model: 'both' }, tell('abcd1', 'Hi'), question('beef'))
    await world.say(both.id, 'Write')
    expect(await world.results(both.id)).toMatchObject([{ outcome: 'started' }, { status: 'complete' }])
    const one = await world.session({ agent: 'one' })
    expect((await sendAs(world, one, { to: target, content: 'Hi' })).sessionId).toBe(target)
    expect((await refusal(world, one, other)).code).toBe('address.not_allowed')
  })

  test('whoever has written may be answered, once it was read', async () => {
    const world = await createWorld({ store, files: cast(three) })
    const [ann, ben] = [await world.session({ agent: 'ann' }), await world.session({ agent: 'ben' })]
    expect((await refusal(world, ben, ann.id)).code).toBe('address.not_allowed')
    await world.settled((await sendAs(world, ann, { to: 'ben', content: 'Hi' })).mailId)
    world.vendor.queue({ model: 'ben' }, tell(ann.id.slice(0, 8), 'Hi yourself'), {
      calls: [{ name: 'session_read', input: { session: ann.id } }],
    })
    await world.say(ben.id, 'Answer')
    const [sent, read] = await world.results(ben.id)
    expect(sent).toMatchObject({ outcome: 'started' })
    expect(read).toContain('not yours to read')
    await world.eventually(async () => (await heard(world, ann)).includes('Hi yourself'))
    await world.reaches(ann.id, 'idle')
  })
})
