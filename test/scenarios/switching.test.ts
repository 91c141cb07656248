import { describe, expect, test } from 'vitest'
import type { Receipt } from '../../src/contract/mail.ts'
import { textOf } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { keyOf } from '../../src/core/base/call-key.ts'
import { sendAs } from '../../src/core/mail/send.ts'
import { partyOf } from '../../src/core/mail/senders.ts'
import { leadPerson } from '../../src/core/steering/switching.ts'
import { storesInTurn } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

interface Switched {
  session: Session
  receipt?: Receipt
}

const switchTo = (world: World, from: string, body: Record<string, unknown>): Promise<Switched> =>
  world.ok('POST', `/api/sessions/${from}/switch`, body)
const back = (world: World, from: string, body: Record<string, unknown> = {}): Promise<Session> =>
  world.ok('POST', `/api/sessions/${from}/back`, body)
const switches = async (world: World, session: string) =>
  (await world.events(session)).filter(({ type }) => type === 'session.switched').map(({ data }) => data)
const texts = async (world: World, session: string) =>
  (await world.messages(session)).map(({ role, from, parts }) => [from?.kind ?? role, textOf(parts)])

describe.each(storesInTurn(import.meta.filename))('switching on %s', (store) => {
  test("the person goes on in the agent's latest session, made when there is none, and their message is theirs", async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'Hello.' }, { text: 'Noted.' })
    const first = await world.session()
    await world.say(first.id, 'Hi')
    const { session, receipt } = await switchTo(world, first.id, { agent: 'writer', message: 'Note this' })
    expect(session).toMatchObject({ agent: 'writer', mode: 'chat', cameFrom: first.id })
    await world.settled(receipt!.mailId)
    expect(await texts(world, session.id)).toEqual([
      ['human', 'Note this'],
      ['assistant', 'Noted.'],
    ])
    expect(await switches(world, first.id)).toEqual([
      expect.objectContaining({ to: session.id, agent: 'writer', handle: session.handle }),
    ])
    const again = await switchTo(world, first.id, { agent: 'writer' })
    expect(again.session.id).toBe(session.id)
    expect(again.receipt).toBeUndefined()
  })

  test('a switch asked for again moves, makes and says nothing twice', async () => {
    const world = await createWorld({ store })
    const first = await world.session()
    const body = { agent: 'writer', message: 'Once', clientId: 'one' }
    const all = await Promise.all(Array.from({ length: 5 }, () => switchTo(world, first.id, body)))
    expect(new Set(all.map(({ session }) => session.id)).size).toBe(1)
    expect(new Set(all.map(({ receipt }) => receipt?.mailId)).size).toBe(1)
    const { session, receipt } = all[0]!
    await world.settled(receipt!.mailId)
    // A younger session of that agent changes nothing about what was done.
    const younger = await world.session({ agent: 'writer' })
    expect((await switchTo(world, first.id, body)).session.id).toBe(session.id)
    expect(await switches(world, first.id)).toHaveLength(1)
    expect((await texts(world, session.id)).filter(([kind]) => kind === 'human')).toHaveLength(1)
    expect(await world.messages(younger.id)).toEqual([])
    const silent = { agent: 'coder', clientId: 'two' }
    const { session: coder } = await switchTo(world, first.id, silent)
    await world.session({ agent: 'coder' })
    expect((await switchTo(world, first.id, silent)).session.id).toBe(coder.id)
  })

  test('back returns and tells, once and as the system, what was said there last', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: `Tuesday it is. ${'x'.repeat(3000)}` })
    const first = await world.session()
    const { session, receipt } = await switchTo(world, first.id, { agent: 'writer', message: 'Which day?' })
    await world.settled(receipt!.mailId)
    const all = await Promise.all(
      Array.from({ length: 3 }, () => world.request<Session>('POST', `/api/sessions/${session.id}/back`, {})),
    )
    expect(all.filter(({ status }) => status === 200).map(({ body }) => body.id)).toContain(first.id)
    await world.eventually(async () => (await world.messages(first.id)).length >= 2)
    const told = (await world.messages(first.id)).filter(({ from }) => from?.kind === 'system')
    expect(told).toHaveLength(1)
    const text = textOf(told[0]!.parts)
    expect(text).toContain(`The person was with writer ${session.handle}. `)
    expect(text).toContain('Tuesday it is.')
    expect(text.length).toBeLessThan(2200)
    expect((await world.look(session.id)).cameFrom).toBeUndefined()
    expect(await switches(world, session.id)).toEqual([expect.objectContaining({ to: first.id, agent: 'assistant' })])
    const nowhere = await world.request('POST', `/api/sessions/${session.id}/back`, {})
    expect(nowhere).toMatchObject({
      status: 409,
      body: { error: { code: 'session.state', hint: expect.stringContaining('troupe sessions') } },
    })
  })

  test('a summary of the person is told in place of it; each visit is told by itself', async () => {
    const world = await createWorld({ store })
    const first = await world.session()
    for (const summary of ['We take the blue one.', 'We take the red one after all.']) {
      const { session, receipt } = await switchTo(world, first.id, { agent: 'writer', message: 'Which one?' })
      await world.settled(receipt!.mailId)
      const clientId = `back ${summary}`
      expect((await back(world, session.id, { summary, clientId })).id).toBe(first.id)
      expect((await back(world, session.id, { summary, clientId })).id).toBe(first.id)
      await world.eventually(async () => JSON.stringify(await texts(world, first.id)).includes(summary))
      await world.reaches(first.id, 'idle')
    }
    const told = (await texts(world, first.id)).filter(([kind]) => kind === 'system')
    expect(told.map(([, text]) => text?.replace(/^.*?\. /, ''))).toEqual([
      'We take the blue one.',
      'We take the red one after all.',
    ])
  })

  test('whoever only looks in and goes back tells nothing, and no model is called', async () => {
    const world = await createWorld({ store })
    const first = await world.session()
    const writer = await world.session({ agent: 'writer' })
    await world.say(writer.id, 'Long ago')
    const calls = world.vendor.requests.length
    const { session } = await switchTo(world, first.id, { agent: 'writer' })
    expect(session.id).toBe(writer.id)
    expect((await back(world, session.id)).id).toBe(first.id)
    await world.restart()
    expect(await world.messages(first.id)).toEqual([])
    expect(world.vendor.requests).toHaveLength(calls)
  })

  test('there is no way back to a deleted session, and that is said once', async () => {
    const world = await createWorld({ store })
    const first = await world.session()
    const { session } = await switchTo(world, first.id, { agent: 'writer' })
    await world.ok('DELETE', `/api/sessions/${first.id}`)
    const path = `/api/sessions/${session.id}/back`
    expect(await world.request('POST', path, {})).toMatchObject({
      status: 410,
      body: { error: { code: 'session.deleted', hint: expect.stringContaining('troupe sessions') } },
    })
    expect((await world.request('POST', path, {})).status).toBe(409)
  })

  test('to the agent one is with, and to nobody, there is no switch', async () => {
    const world = await createWorld({ store })
    const first = await world.session()
    const path = `/api/sessions/${first.id}/switch`
    expect(await world.request('POST', path, { agent: 'assistant', message: 'Hi' })).toMatchObject({
      status: 400,
      body: { error: { code: 'address.self' } },
    })
    expect(await world.request('POST', path, { agent: 'nobody', message: 'Hi' })).toMatchObject({
      status: 404,
      body: { error: { code: 'agent.not_found', hint: expect.stringContaining('writer') } },
    })
    expect(await world.messages(first.id)).toEqual([])
    expect((await world.ok<{ items: unknown[] }>('GET', '/api/sessions')).items).toHaveLength(1)
  })

  test('an agent leads the person on: they find its message there as its own, and come back', async () => {
    const world = await createWorld({ store })
    const lead = { agent: 'writer', message: 'Write a poem for the person.' }
    world.vendor.script(() => ({ text: 'Roses are red.' }), { word: 'Write a poem' })
    world.vendor.reply({ calls: [{ name: 'switch_to', input: lead }] }, { text: 'You are with the writer now.' })
    const first = await world.session()
    expect(await world.say(first.id, 'Switch to the writer')).toMatchObject({ end: 'done' })
    const [led] = await switches(world, first.id)
    const writer = await world.look(String(led?.to))
    expect(writer).toMatchObject({ agent: 'writer', mode: 'chat', cameFrom: first.id })
    expect(await world.results(first.id)).toMatchObject([{ agent: 'writer', session: writer.handle }])
    await world.eventually(async () => (await world.messages(writer.id)).length === 2)
    expect((await world.messages(writer.id))[0]).toMatchObject({
      from: { kind: 'agent', agent: 'assistant', sessionId: first.id },
      parts: [{ text: lead.message }],
    })
    await back(world, writer.id)
    await world.eventually(async () => JSON.stringify(await texts(world, first.id)).includes('Roses are red.'))
  })

  test('a call or a way back that a crash cut short and that runs again says and records nothing twice', async () => {
    const world = await createWorld({ store })
    const { core } = world.server
    const first = await world.session()
    const order = { agent: 'writer', message: 'Once only.' }
    // The mail has gone ahead; the crash came before the switch was recorded.
    const words = { to: 'writer', content: order.message, clientId: keyOf('call_1') }
    const sent = await sendAs(core, await partyOf(core, first.id), words)
    const mailId = sent.to === 'session' ? sent.receipt.mailId : ''
    await world.settled(mailId)
    const younger = await world.session({ agent: 'writer' })
    for (const _ of [1, 2]) {
      const led = await leadPerson(core, await partyOf(core, first.id), order, 'call_1')
      expect(led.receipt?.mailId).toBe(mailId)
      expect(led.session.id).not.toBe(younger.id)
    }
    expect(await switches(world, first.id)).toHaveLength(1)
    const { to } = (await switches(world, first.id))[0]!
    expect((await world.messages(String(to))).filter(({ from }) => from?.kind === 'agent')).toHaveLength(1)

    await back(world, String(to))
    // As if the crash had come after the notice and before the way back was taken.
    await world.server.core.store.write((db) =>
      db.updateTable('sessions').set({ came_from: first.id }).where('id', '=', String(to)).execute(),
    )
    await back(world, String(to))
    await world.eventually(async () => (await world.messages(first.id)).length === 2)
    await world.reaches(first.id, 'idle')
    expect((await texts(world, first.id)).filter(([kind]) => kind === 'system')).toHaveLength(1)
  })

  test('is kept in rows: with the record of events gone, what was asked again and the way back are the same', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'Tuesday it is.' })
    const first = await world.session()
    const body = { agent: 'writer', message: 'Which day?', clientId: 'one' }
    const { session, receipt } = await switchTo(world, first.id, body)
    await world.settled(receipt!.mailId)
    const forget = () => world.server.core.store.write((db) => db.deleteFrom('events').execute())
    await forget()
    const again = await switchTo(world, first.id, body)
    expect([again.session.id, again.receipt?.mailId]).toEqual([session.id, receipt!.mailId])
    await forget()
    for (const _ of [1, 2]) expect((await back(world, session.id, { clientId: 'home' })).id).toBe(first.id)
    await world.eventually(async () => JSON.stringify(await texts(world, first.id)).includes('Tuesday it is.'))
    await world.reaches(first.id, 'idle')
    expect((await texts(world, first.id)).filter(([kind]) => kind === 'system')).toHaveLength(1)
    // A second visit is another one, and only what is said in it is told.
    const second = await switchTo(world, first.id, { agent: 'writer', clientId: 'two' })
    await forget()
    expect((await back(world, second.session.id)).id).toBe(first.id)
    expect((await texts(world, first.id)).filter(([kind]) => kind === 'system')).toHaveLength(1)
  })

  test('what an agent makes by leading on is bound by what the agent may do, also when it says nothing', async () => {
    const agent = JSON.stringify({ tools: { allow: ['switch_to', 'read_file'] }, agents: { allow: ['writer'] } })
    const world = await createWorld({
      store,
      files: { '.troupe/agents/porter/agent.json': agent, '.troupe/agents/porter/AGENT.md': 'You open doors.' },
    })
    const call = (to: string) => ({ calls: [{ name: 'switch_to', input: { agent: to } }] })
    world.vendor.reply(call('coder'), call('nobody'), call('porter'), call('writer'), { text: 'Done.' })
    const porter = await world.session({ agent: 'porter' })
    await world.say(porter.id, 'Lead me around')
    const [coder, nobody, self, writer] = await world.results(porter.id)
    expect(coder).toContain('may not reach coder')
    expect(nobody).toContain('no agent "nobody"')
    expect(self).toMatch(/may not reach porter|yourself/)
    expect(writer).toMatchObject({ agent: 'writer' })
    const led = await switches(world, porter.id)
    expect(led).toHaveLength(1)
    world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'true' } }] }, { text: 'I may not.' })
    await world.say(String(led[0]?.to), 'Run something')
    expect(JSON.stringify(await world.results(String(led[0]?.to)))).toContain('no tool \\"bash\\" here')
  })

  test('where no person talks, nobody is led on', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [{ name: 'switch_to', input: { agent: 'writer' } }] }, { text: 'Then not.' })
    const task = await world.session({ mode: 'task' })
    await world.say(task.id, 'Lead me on')
    expect(JSON.stringify(await world.results(task.id))).toContain('nobody to lead on')
    expect(await switches(world, task.id)).toEqual([])
  })
})
