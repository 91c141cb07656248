import { describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../src/contract/api.ts'
import type { Mode, Session } from '../../src/contract/sessions.ts'
import { act, cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { sessionOf, taskOf } from '../kit/records.ts'
import { nap, parts, playedBy, spawn } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const refusal = async (world: World, session: Session): Promise<ErrorBody['error']> =>
  (await world.request<ErrorBody>('POST', `/api/sessions/${session.id}/messages`, { content: 'Hi' })).body.error

const look = { calls: [{ name: 'glob', input: { pattern: '*' } }] }

const closers = async (world: World, session: Session) =>
  (await world.events(session.id)).filter(({ type }) => type === 'session.closed').map(({ data }) => data.by)

describe.each(storesInTurn(import.meta.filename))('a session on %s', (store) => {
  test.each(['daemon', 'subagent'] as const)(
    'of mode %s is over with its work and takes no more mail',
    async (mode) => {
      const world = await createWorld({ store })
      const session = await world.session({ mode })
      expect(await world.say(session.id, 'Go')).toMatchObject({ end: 'done' })
      expect(await world.look(session.id)).toMatchObject({ status: 'closed' })
      expect(await refusal(world, session)).toMatchObject({ code: 'mail.undeliverable' })
      expect(await closers(world, session)).toEqual(['system'])
    },
  )

  test('of mode task is closed when it is done, and goes on when someone writes to it', async () => {
    const world = await createWorld({ store })
    const session = await world.session({ mode: 'task' })
    await world.say(session.id, 'Go')
    expect((await world.look(session.id)).status).toBe('closed')
    expect(await world.say(session.id, 'One more thing')).toMatchObject({ outcome: 'started', end: 'done' })
    expect((await world.look(session.id)).status).toBe('closed')
    const chat = await world.session()
    await world.say(chat.id, 'Go')
    expect((await world.look(chat.id)).status).toBe('idle')
  })

  test('of mode task or subagent that failed may be told to try again; a tick that failed is over', async () => {
    const world = await createWorld({ store })
    const failing = async (mode: Mode) => {
      world.vendor.reply({ error: { kind: 'bad-request' } })
      const session = await world.session({ mode })
      expect(await world.say(session.id, 'Go')).toMatchObject({ end: 'error' })
      return session
    }
    for (const mode of ['task', 'subagent'] as const) {
      const failed = await failing(mode)
      expect((await world.look(failed.id)).status).toBe('error')
      world.vendor.reply({ text: 'Now.' })
      expect(await world.say(failed.id, 'Again')).toMatchObject({ end: 'done' })
      expect((await world.look(failed.id)).status).toBe('closed')
    }
    expect((await world.look((await failing('daemon')).id)).status).toBe('closed')
  })

  test('of mode task that a person canceled was closed by them', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    world.vendor.reply({ text: 'Never said.', delay: gate.promise })
    const session = await world.session({ mode: 'task' })
    await world.send(session.id, 'Go')
    await world.reaches(session.id, 'running')
    await act(world, session.id, 'cancel')
    await world.reaches(session.id, 'closed')
    expect(await closers(world, session)).toEqual(['human'])
    gate.resolve()
  })

  test('of mode daemon lasts until what it began has ended, and is not told of it', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Tick: [{ calls: [spawn('writer', 'Dig', { wait: false })] }, { text: 'Begun.' }, { text: 'Never said.' }],
      Dig: [{ text: 'Dug.', delay: gate.promise }],
    })
    const tick = await world.session({ mode: 'daemon' })
    await world.say(tick.id, 'Tick')
    expect((await world.look(tick.id)).status).toBe('idle')
    gate.resolve()
    await world.reaches(tick.id, 'closed')
    expect((await world.messages(tick.id)).at(-1)?.parts).toMatchObject([{ type: 'text', text: 'Begun.' }])
  })

  test.each([
    ['finished', { text: 'Dug.' }],
    ['failed', { error: { kind: 'bad-request' } }],
  ] as const)('of mode task is closed when its task has %s', async (status, end) => {
    const world = await createWorld({ store, files: cast('ann', 'ben', 'cid') })
    const gate = Promise.withResolvers<void>()
    const begins = status === 'finished' ? look : { calls: [spawn('cid', 'Wait', { wait: false })] }
    world.vendor.script((request) => {
      const first = request.messages.every(({ role }) => role !== 'assistant')
      if (playedBy(request) === 'cid') return { calls: [nap] }
      if (playedBy(request) === 'ben') return first ? begins : { ...end, delay: gate.promise }
      return first ? { calls: [spawn('ben', 'Dig')] } : { text: 'I see.' }
    })
    const parent = await world.session({ agent: 'ann' })
    const mail = await world.send(parent.id, 'Go')
    const ben = await sessionOf(world, 'ben', 'running')
    // No tool makes one yet; whatever will, its row is this.
    await world.server.core.store.write((db) =>
      db.updateTable('sessions').set({ mode: 'task' }).where('id', '=', ben.id).execute(),
    )
    const child = status === 'failed' ? await sessionOf(world, 'cid', 'waiting') : undefined
    gate.resolve()
    await taskOf(world, 'Dig', status)
    await world.settled(mail.mailId)
    expect((await world.look(ben.id)).status).toBe('closed')
    expect(await closers(world, ben)).toEqual(['system'])
    if (child) await world.reaches(child.id, 'closed')
  })
})

describe.each(storesInTurn(import.meta.filename))('an address on %s', (store) => {
  test('"coordinator", the reserved word, is outside a run the agent of that name, which is always there', async () => {
    const world = await createWorld({ store })
    const sent = await world.ok<{ sessionId: string }>('POST', '/api/mail', {
      to: 'coordinator',
      content: 'Hi',
      wait: 20,
    })
    expect((await world.look(sent.sessionId)).agent).toBe('coordinator')
    for (const name of ['human', 'parent', 'worker']) {
      const put = await world.request<ErrorBody>('PUT', `/api/agents/${name}`, { definition: {} })
      expect(put.body.error.message).toContain('reserved word')
    }
    expect((await world.request('PUT', '/api/agents/coordinator', { definition: {} })).status).toBe(200)
  })
})
