import { describe, expect, test } from 'vitest'
import { onSession } from '../../src/core/base/transaction.ts'
import { appendMessages } from '../../src/core/sessions/history.ts'
import { ask, asked, place, read } from '../kit/asks.ts'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { heard } from '../kit/records.ts'
import type { World } from '../kit/world.ts'

const tell = (to: string, message: string) => ({ name: 'agent_send', input: { to, message } })

describe.each(storesInTurn(import.meta.filename))('asking on %s', (store) => {
  test('the answer tells who gave it, what it took and what it cost', async () => {
    const { world, ann, ben, plays, pass } = await place(store, {
      files: { ...cast({ ann: {}, ben: {}, cyd: {} }), 'a.txt': 'alpha' },
    })
    const prices = { ben: { input: 1000, output: 5000 } }
    await world.ok('PATCH', '/api/settings', { changes: { 'providers.lab.prices': prices } })
    const gate = Promise.withResolvers<void>()
    plays('ann', ask('ben'), { text: 'Thanks.' })
    plays(
      'ben',
      { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
      { text: 'It says alpha.', delay: gate.promise },
    )
    const mail = await world.send(ann.id, 'Ask Ben')
    await world.eventually(async () => (await world.results(ben.id)).length === 1)
    pass(7)
    gate.resolve()
    await world.settled(mail.mailId)
    // Two calls of 100 tokens in and 20 out.
    expect(await world.results(ann.id)).toEqual([
      {
        status: 'complete',
        agent: 'ben',
        session: ben.handle,
        created: false,
        response: 'It says alpha.',
        truncated: false,
        durationMs: 7000,
        costUsd: expect.closeTo(0.4),
        totalCostUsd: expect.closeTo(0.4),
        unpricedTokens: 0,
        toolCalls: [{ name: 'read_file', durationMs: 0 }],
      },
    ])
    const ended = (await world.events(ben.id)).find(({ type }) => type === 'turn.ended')
    expect(ended?.data).toMatchObject({ durationMs: 7000 })
  })

  test('however long the log of the other is, the answer tells the calls of the turn that gave it, and only these', async () => {
    const { world, ann, ben, plays } = await place(store)
    const look = { calls: [{ name: 'list_dir', input: { path: '.' } }] }
    plays('ben', look, { text: 'Empty.' }, { calls: [{ name: 'todo_read', input: {} }] }, { text: 'It is.' })
    const older = (role: 'user' | 'assistant') => ({ role, parts: [{ type: 'text' as const, text: 'Well.' }] })
    await onSession(world.server.core, ben.id, 'older', (tx, session) =>
      appendMessages(
        tx,
        session,
        Array(60)
          .fill([older('user'), older('assistant')])
          .flat(),
      ),
    )
    await world.say(ben.id, 'Look around')
    plays('ann', ask('ben'), { text: 'Thanks.' })
    await world.say(ann.id, 'Ask Ben')
    expect(await world.results(ann.id)).toMatchObject([{ toolCalls: [{ name: 'todo_read' }] }])
  })

  test('what the target sends to the asker is the answer, and is not read as mail; what it says then is not one', async () => {
    const { world, ann, ben, plays } = await place(store)
    plays('ann', ask('ben'), { text: 'Thanks.' })
    const gate = Promise.withResolvers<void>()
    plays('ben', { calls: [tell(ann.id, 'It is.')] }, { text: 'I have told her.', delay: gate.promise })
    const mail = await world.send(ann.id, 'Ask Ben')
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Thanks.' })
    expect(await world.results(ben.id)).toMatchObject([{ outcome: 'answered' }])
    gate.resolve()
    await world.reaches(ben.id, 'idle')
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'It is.' }])
    expect(await heard(world, ann)).toEqual(['Ask Ben'])
    const [sent] = (await world.results(ben.id)) as { mailId: string }[]
    expect(await world.ok('GET', `/api/mail/${sent?.mailId}`)).toMatchObject({ state: 'answered' })
  })

  test('of two answers the first is the answer and the second is mail', async () => {
    const { world, ann, ben, plays } = await place(store)
    plays('ann', ask('ben'))
    plays('ben', { calls: [tell(ann.id, 'It is.'), tell(ann.id, 'It is not.')] })
    await world.send(ann.id, 'Ask Ben')
    await world.eventually(async () => (await heard(world, ann)).length === 2)
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'It is.' }])
    expect(await heard(world, ann)).toEqual(['Ask Ben', 'It is not.'])
    expect(await world.results(ben.id)).toMatchObject([
      { outcome: 'answered' },
      { outcome: expect.not.stringMatching('answered') },
    ])
    for (const session of [ann, ben]) await world.reaches(session.id, 'idle')
  })

  test('all questions read at one safe point get the same text; what was said before they were read answers none', async () => {
    const { world, ann, ben, cyd, plays } = await place(store)
    const gate = Promise.withResolvers<void>()
    plays('ben', { text: 'Still at work.', delay: gate.promise }, { text: 'It is so for both.' })
    plays('ann', ask('ben'), { text: 'Thanks.' })
    plays('cyd', ask('ben', 'Is it?'), { text: 'Thanks.' })
    await world.send(ben.id, 'Work')
    await read(world, ben, 1)
    const mails = [await world.send(ann.id, 'Ask Ben'), await world.send(cyd.id, 'Ask Ben too')]
    for (const { id } of [ann, cyd]) await world.reaches(id, 'waiting')
    gate.resolve()
    for (const { mailId } of mails) await world.settled(mailId)
    for (const { id } of [ann, cyd]) {
      expect(await world.results(id)).toMatchObject([{ status: 'complete', response: 'It is so for both.' }])
    }
  })

  test('an answer that comes too late is mail', async () => {
    const { world, ann, ben, gate, mail, pass } = await asked(store, { timeout: 60 })
    pass(59)
    expect((await world.look(ann.id)).status).toBe('waiting')
    pass(2)
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Thanks.' })
    expect(await world.results(ann.id)).toMatchObject([{ status: 'timeout', agent: 'ben', durationMs: 61_000 }])
    gate.resolve()
    const log = await world.eventually(async () => {
      const seen = await world.messages(ann.id)
      return seen.filter(({ role }) => role === 'user').length === 2 && seen
    })
    const late = log.findLast(({ role }) => role === 'user')
    expect(late).toMatchObject({
      from: { kind: 'agent', agent: 'ben', sessionId: ben.id },
      parts: [{ text: 'It is.' }],
    })
    expect(late?.from?.asks).toBeUndefined()
    await world.reaches(ann.id, 'idle')
  })

  test.each([
    ['fails', 'error', async () => {}],
    ['is canceled', 'canceled', (world: World, id: string) => world.ok('POST', `/api/sessions/${id}/cancel`)],
    ['is closed', 'closed', (world: World, id: string) => world.ok('POST', `/api/sessions/${id}/close`)],
    ['is deleted', 'deleted', (world: World, id: string) => world.ok('DELETE', `/api/sessions/${id}`)],
  ])('when the target %s the question has failed', async (_how, reason, act) => {
    const { world, ann, ben, plays } = await place(store)
    const gate = Promise.withResolvers<void>()
    plays('ann', ask('ben'), { text: 'A pity.' })
    plays('ben', { error: { kind: 'auth' }, delay: gate.promise })
    const mail = await world.send(ann.id, 'Ask Ben')
    await world.reaches(ann.id, 'waiting')
    await read(world, ben, 1)
    await act(world, ben.id)
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'A pity.' })
    expect(await world.results(ann.id)).toMatchObject([{ status: 'failed', response: expect.stringContaining(reason) }])
    const turns = await world.server.core.store.read.selectFrom('turns').select(['session_id', 'ended_at']).execute()
    expect(turns.filter(({ ended_at }) => ended_at === null)).toEqual([])
  })

  test.each([
    ['deleted', 'DELETE', ''],
    ['closed', 'POST', '/close'],
  ])('a question that nobody has read fails when its target is %s', async (how, method, path) => {
    const { world, ann, ben, plays } = await place(store)
    await world.ok('POST', `/api/sessions/${ben.id}/pause`)
    plays('ann', ask('ben'), { text: 'A pity.' })
    const mail = await world.send(ann.id, 'Ask Ben')
    await world.reaches(ann.id, 'waiting')
    await world.ok(method, `/api/sessions/${ben.id}${path}`)
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'A pity.' })
    expect(await world.results(ann.id)).toMatchObject([{ status: 'failed', response: expect.stringContaining(how) }])
  })

  test('the server may stop and start between question and answer', async () => {
    const { world, ann, ben, gate, mail } = await asked(store)
    await world.restart()
    // Ben's model is called again; what it says then is the answer.
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Thanks.' })
    const [answer] = (await world.results(ann.id)) as { response: string }[]
    expect(answer).toMatchObject({ status: 'complete', agent: 'ben', response: expect.stringContaining('I heard') })
    gate.resolve()
    await world.reaches(ben.id, 'idle')
    expect(await heard(world, ann)).toEqual(['Ask Ben'])
  })
})
