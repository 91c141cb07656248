import { describe, expect, test } from 'vitest'
import { deliver } from '../../src/core/mail/deliver.ts'
import { requestAs, sendAs } from '../kit/cast.ts'
import { type StoreKind, storesInTurn } from '../kit/database.ts'
import { heard, sessionOf } from '../kit/records.ts'
import { createWorld, type WorldOptions } from '../kit/world.ts'

const nap = { calls: [{ name: 'sleep', input: { seconds: 300 } }] }
const question = { calls: [{ name: 'ask_human', input: { question: 'Which colour?' } }] }
const ask = (to: string) => ({ calls: [{ name: 'agent_message', input: { to, message: 'And?', timeout: 600 } }] })
const everyone = ['agent_send(session:*)', 'agent_send(interrupt)']

/** Ann, who sends; Ben, who gets it; and the system. */
async function place(store: StoreKind, { settings, ...more }: WorldOptions = {}) {
  const world = await createWorld({ store, settings: { permissions: { allow: everyone }, ...settings }, ...more })
  const ann = await world.session({ model: 'lab/ann' })
  const ben = await world.session({ agent: 'coder', model: 'lab/ben' })
  return {
    world,
    ann,
    ben,
    send: (content: string, words = {}) => sendAs(world, ann, { to: ben.id, content, ...words }),
    notice: (content: string, words = {}) =>
      deliver(world.server.core, { to: ben.id, from: { kind: 'system' }, content, ...words }),
    heard: () => heard(world, ben),
    /** How often Ben's model was called. */
    calls: () => world.vendor.requests.filter(({ model }) => model === 'ben').length,
  }
}

describe.each(storesInTurn(import.meta.filename))('mail of agents and of the system on %s', (store) => {
  test('an idle, a failed and a closed session start on it', async () => {
    const { world, ben, send, notice, heard } = await place(store)
    for (const [who, post] of Object.entries({ agent: send, system: notice })) {
      expect(await world.settled((await post(`${who} idle`)).mailId)).toMatchObject({ outcome: 'started', end: 'done' })
      world.vendor.queue({ model: 'ben' }, { error: { kind: 'auth' } })
      expect((await world.say(ben.id, 'Fail')).end).toBe('error')
      expect(await world.settled((await post(`${who} error`)).mailId)).toMatchObject({
        outcome: 'started',
        end: 'done',
      })
      await world.ok('POST', `/api/sessions/${ben.id}/close`)
      expect(await world.settled((await post(`${who} closed`)).mailId)).toMatchObject({
        outcome: 'started',
        end: 'done',
      })
      expect((await world.look(ben.id)).closedAt).toBeUndefined()
    }
    expect((await heard()).filter((text) => text !== 'Fail')).toEqual(
      ['agent', 'system'].flatMap((who) => ['idle', 'error', 'closed'].map((was) => `${who} ${was}`)),
    )
  })

  test('a deleted session and a sub-agent that has ended its work refuse it', async () => {
    const { world, ann, ben, send, notice } = await place(store)
    world.vendor.queue(
      { model: 'ann' },
      { calls: [{ name: 'agent_spawn', input: { agent: 'researcher', instruction: 'Dig.' } }] },
    )
    await world.say(ann.id, 'Have it dug')
    const child = await sessionOf(world, 'researcher')
    const late = await requestAs(world, ann, 'POST', '/api/mail', { to: child.id, content: 'One more thing' })
    expect(late).toMatchObject({ status: 410, body: { error: { code: 'mail.undeliverable' } } })
    await expect(notice('For a child', { to: child.id })).rejects.toMatchObject({ code: 'mail.undeliverable' })

    await world.ok('POST', `/api/sessions/${ben.id}/pause`)
    const waiting = await send('Never read')
    await world.ok('DELETE', `/api/sessions/${ben.id}`)
    expect(await world.ok('GET', `/api/mail/${waiting.mailId}`)).toMatchObject({ state: 'undeliverable' })
    await expect(notice('Too late')).rejects.toMatchObject({ code: 'mail.undeliverable' })
    expect((await requestAs(world, ann, 'POST', '/api/mail', { to: ben.id, content: 'Too late' })).status).toBe(410)
  })

  test('a paused session keeps it until it is resumed, also when its budget is spent', async () => {
    const { world, ben, send, notice, heard, calls } = await place(store, { settings: { loop: { autoWakeBudget: 1 } } })
    await world.ok('POST', `/api/sessions/${ben.id}/pause`)
    const kept = [await send('one'), await send('two', { interrupt: true }), await send('three', { followup: true })]
    const told = await notice('four')
    expect([...kept, told].map(({ outcome, state }) => [outcome, state])).toEqual(Array(4).fill(['queued', 'queued']))
    expect(calls()).toBe(0)
    await world.ok('POST', `/api/sessions/${ben.id}/resume`)
    expect(await world.settled(told.mailId)).toMatchObject({ state: 'taken', end: 'done' })
    expect(await heard()).toEqual(['one', 'two', 'three', 'four'])
  })

  test('with the budget spent it is stored and wakes nobody, until a person writes', async () => {
    const { world, ann, ben, send, notice, heard, calls } = await place(store, {
      settings: { loop: { autoWakeBudget: 2 } },
    })
    for (const content of ['one', 'two']) await world.settled((await send(content)).mailId)
    world.vendor.queue({ model: 'ann' }, { calls: [{ name: 'agent_send', input: { to: ben.id, message: 'three' } }] })
    await world.say(ann.id, 'Write again')
    const [result] = await world.results(ann.id)
    expect(result).toMatchObject({ outcome: 'suppressed', note: expect.stringContaining('Do not send it again') })
    const four = await send('four', { followup: true })
    expect(four).toMatchObject({ outcome: 'suppressed', state: 'suppressed' })
    expect(await world.look(ben.id)).toMatchObject({ status: 'idle' })
    expect(calls()).toBe(2)
    // What the system tells is no part of it: it spends nothing, and releases nothing.
    expect(await world.settled((await notice('news')).mailId)).toMatchObject({ outcome: 'started', end: 'done' })
    expect(await world.ok('GET', `/api/mail/${four.mailId}`)).toMatchObject({ state: 'suppressed' })
    await world.say(ben.id, 'Go on')
    await world.settled(four.mailId)
    expect(await heard()).toEqual(['one', 'two', 'news', 'three', 'four', 'Go on'])
  })

  test('mail that waits has its part of the budget already', async () => {
    const { world, ben, send } = await place(store, { settings: { loop: { autoWakeBudget: 2 } } })
    const gate = Promise.withResolvers<void>()
    world.vendor.queue({ model: 'ben' }, { text: 'Busy.', delay: gate.promise })
    await world.send(ben.id, 'Work')
    await world.reaches(ben.id, 'running')
    const outcomes = []
    for (const content of ['one', 'two', 'three']) outcomes.push((await send(content)).outcome)
    expect(outcomes).toEqual(['queued', 'queued', 'suppressed'])
    gate.resolve()
    await world.reaches(ben.id, 'idle')
  })

  test('a session that waits for the person reads it when the person has answered', async () => {
    const { world, ben, send, notice, heard } = await place(store)
    world.vendor.queue({ model: 'ben' }, question, {
      calls: [{ name: 'bash', input: { command: 'echo ran' } }],
    })
    await world.say(ben.id, 'Paint')
    const asked = [await send('a'), await send('b', { interrupt: true }), await send('c', { followup: true })]
    expect([...asked, await notice('d')].map(({ outcome }) => outcome)).toEqual(Array(4).fill('queued'))
    expect(await world.look(ben.id)).toMatchObject({ status: 'waiting' })
    await world.ok('POST', `/api/inbox/${(await world.inbox())[0]?.id}/answer`, { answer: 'Blue' })

    const approval = await world.eventually(async () => (await world.inbox()).find(({ kind }) => kind === 'approval'))
    expect([await send('e'), await notice('f')].map(({ outcome }) => outcome)).toEqual(['queued', 'queued'])
    await world.ok('POST', `/api/inbox/${approval.id}/answer`, { decision: 'once' })
    await world.reaches(ben.id, 'idle')
    expect(await world.results(ben.id)).toEqual([{ answer: 'Blue' }, 'ran'])
    expect(await heard()).toEqual(['Paint', 'a', 'b', 'c', 'd', 'e', 'f'])
  })

  test('a follow-up is held while the session works or waits, and read when it would have ended', async () => {
    const { world, ann, ben, send, notice, heard } = await place(store)
    const gate = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    world.vendor.queue({ model: 'ann' }, { text: 'Yes.', delay: answer.promise })
    world.vendor.queue({ model: 'ben' }, { ...nap, delay: gate.promise }, ask(ann.id))
    await world.send(ben.id, 'Work')
    await world.reaches(ben.id, 'running')
    const held = [await send('while it works', { followup: true })]
    gate.resolve()
    await world.reaches(ben.id, 'waiting')
    held.push(await send('while it sleeps', { followup: true }))
    await world.send(ben.id, 'Wake up')
    await world.reaches(ann.id, 'running')
    await world.reaches(ben.id, 'waiting')
    held.push(await send('while it asks', { followup: true }))
    const told = await notice('also', { followup: true })
    expect([...held, told].map(({ outcome, state }) => [outcome, state])).toEqual(Array(4).fill(['held', 'held']))
    answer.resolve()
    await world.settled(told.mailId)
    expect(await heard()).toEqual(['Work', 'Wake up', 'while it works', 'while it sleeps', 'while it asks', 'also'])
  })

  test('a wait for time or for a child ends early with it, and the child is heard of later', async () => {
    const { world, ben, send, notice, heard } = await place(store)
    for (const post of [send, notice]) {
      world.vendor.queue({ model: 'ben' }, nap)
      await world.send(ben.id, 'Sleep')
      await world.reaches(ben.id, 'waiting')
      const mail = await post('Wake up')
      expect(await world.settled(mail.mailId)).toMatchObject({ outcome: 'started', end: 'done' })
      expect((await world.results(ben.id)).at(-1)).toContain('interrupted by a message')
    }
    const gate = Promise.withResolvers<void>()
    world.vendor.script(() => ({ text: 'Dug.', delay: gate.promise }), { word: 'Dig.' })
    world.vendor.queue(
      { model: 'ben' },
      { calls: [{ name: 'agent_spawn', input: { agent: 'researcher', instruction: 'Dig.' } }] },
    )
    await world.send(ben.id, 'Delegate')
    await world.reaches(ben.id, 'waiting')
    expect(await world.settled((await send('Hurry')).mailId)).toMatchObject({ outcome: 'started', end: 'done' })
    expect((await world.results(ben.id)).at(-1)).toMatch(/interrupted by a message.* Still at work: task_/)
    gate.resolve()
    await world.eventually(async () => (await heard()).some((text) => text.includes('Dug.')))
  })

  test('a wait for an answer is not ended by it: it is read behind the answer', async () => {
    const { world, ann, ben, send, notice, heard } = await place(store)
    const answer = Promise.withResolvers<void>()
    world.vendor.queue({ model: 'cyd' }, { text: 'Yes.', delay: answer.promise })
    const cyd = await world.session({ agent: 'writer', model: 'lab/cyd' })
    world.vendor.queue({ model: 'ben' }, ask(cyd.id))
    await world.send(ben.id, 'Ask')
    await world.reaches(cyd.id, 'running')
    await world.reaches(ben.id, 'waiting')
    const waiting = [await send('meanwhile'), await notice('news')]
    expect(waiting.map(({ outcome }) => outcome)).toEqual(['queued', 'queued'])
    answer.resolve()
    for (const { mailId } of waiting) expect(await world.settled(mailId)).toMatchObject({ end: 'done' })
    expect(await world.results(ben.id)).toMatchObject([{ status: 'complete', response: 'Yes.' }])
    expect(await heard()).toEqual(['Ask', 'meanwhile', 'news'])
    expect((await world.messages(ann.id)).length).toBe(0)
  })

  test('a running session reads it in the same turn; what a failing turn left begins the next by itself', async () => {
    const { world, ben, send, notice, heard } = await place(store)
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    world.vendor.queue(
      { model: 'ben' },
      { text: 'First.', delay: gates[0]!.promise },
      { error: { kind: 'auth' }, delay: gates[1]!.promise },
    )
    const work = await world.send(ben.id, 'Work')
    await world.reaches(ben.id, 'running')
    const [mail, told] = [await send('one'), await notice('two')]
    expect([mail.outcome, told.outcome]).toEqual(['queued', 'queued'])
    gates[0]!.resolve()
    await world.eventually(async () => (await heard()).length === 3)
    const left = await send('left over')
    gates[1]!.resolve()
    expect(await world.settled(work.mailId)).toMatchObject({ end: 'error' })
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'error' })
    expect(await world.settled(left.mailId)).toMatchObject({ outcome: 'queued', end: 'done' })
    expect(await heard()).toEqual(['Work', 'one', 'two', 'left over'])
  })
})
