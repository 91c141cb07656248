import { describe, expect, test } from 'vitest'
import { onSession } from '../../src/core/base/transaction.ts'
import { deliver, post } from '../../src/core/mail/deliver.ts'
import { raise } from '../../src/core/sessions/row.ts'
import { resolveParked } from '../../src/store/calls.ts'
import { ask, place } from '../kit/asks.ts'
import { act, cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { heard, mails } from '../kit/records.ts'
import { askPerson } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const human = { kind: 'human' } as const

describe.each(storesInTurn(import.meta.filename))('at the borders of the mailbox, on %s', (store) => {
  test('mail that comes to a session which is about to close keeps it open, and is answered', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    const gate = Promise.withResolvers<void>()
    world.vendor.reply({ text: 'Never said.', delay: gate.promise }, { text: 'Still here.' })
    const first = await world.send(session.id, 'Work')
    await world.reaches(session.id, 'running')
    const { core } = world.server
    await world.eventually(async () => world.vendor.requests.length === 1)
    // In one transaction, as no runner can come between: it was told to close, then it got mail.
    const mail = await onSession(core, session.id, 'test', async (tx, row) => {
      raise(row, 'close')
      return post(core, tx, row, { to: row.id, from: human, content: 'One more thing' })
    })
    core.wake(session.id)
    expect(await world.settled(first.mailId)).toMatchObject({ end: 'canceled' })
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'Still here.' })
    gate.resolve()
    expect(await world.look(session.id)).toMatchObject({ status: 'idle' })
    const closed = (await world.events(session.id)).filter(({ type }) => type === 'session.closed')
    expect(closed).toEqual([])
  })

  test.each([['before'], ['behind']])(
    "a person's mail is what a turn goes back to, also %s an agent's that has come further",
    async (where) => {
      const { world, ann, ben, cyd, plays } = await place(store)
      await act(world, ben.id, 'pause')
      const far = { id: 'chain_far', hops: 9 }
      const agent = { kind: 'agent', agent: 'ann', sessionId: ann.id } as const
      const mine = () => world.send(ben.id, 'Tell Cyd')
      const theirs = () => deliver(world.server.core, { to: ben.id, from: agent, content: 'Hello', chain: far })
      const [first, second] = where === 'before' ? [mine, theirs] : [theirs, mine]
      const sent = [await first(), await second()]
      plays('ben', { calls: [{ name: 'agent_send', input: { to: 'cyd', message: 'Psst' } }] })
      await act(world, ben.id, 'resume')
      for (const { mailId } of sent) await world.settled(mailId)
      await world.eventually(async () => (await heard(world, cyd)).length === 1)
      const rows = await mails(world)
      const cause = rows.find(({ from_kind }) => from_kind === 'human')!
      expect(cause.chain_id).not.toBe(far.id)
      expect(rows.find(({ content }) => content === 'Psst')).toMatchObject({ chain_id: cause.chain_id, hops: 1 })
    },
  )

  test('without a person, what has come furthest is what a turn goes back to', async () => {
    const { world, ann, ben, cyd, plays } = await place(store)
    await act(world, ben.id, 'pause')
    const agent = { kind: 'agent', agent: 'ann', sessionId: ann.id } as const
    for (const hops of [2, 9, 4]) {
      const chain = { id: `chain_${hops}`, hops }
      await deliver(world.server.core, { to: ben.id, from: agent, content: `${hops}`, chain })
    }
    plays('ben', { calls: [{ name: 'agent_send', input: { to: 'cyd', message: 'Psst' } }] })
    await act(world, ben.id, 'resume')
    await world.eventually(async () => (await heard(world, cyd)).length === 1)
    const sent = (await mails(world)).find(({ content }) => content === 'Psst')
    expect(sent).toMatchObject({ chain_id: 'chain_9', hops: 10 })
  })

  test('text answers no question while an approval is open beside it: it queues', async () => {
    const world = await createWorld({ store })
    const run = { name: 'bash', input: { command: 'echo ran' } }
    world.vendor.reply({ calls: [askPerson, run] }, { text: 'Thanks.' })
    const session = await world.session({ agent: 'coder' })
    await world.say(session.id, 'Go')
    const items = await world.eventually(async () => {
      const open = await world.inbox()
      return open.length === 2 && open
    })
    const mail = await world.send(session.id, 'yes')
    expect(mail).toMatchObject({ outcome: 'queued', state: 'queued' })
    expect(await world.inbox()).toHaveLength(2)
    const [question, approval] = ['question', 'approval'].map((kind) => items.find((item) => item.kind === kind)!)
    await world.ok('POST', `/api/inbox/${approval!.id}/answer`, { decision: 'deny' })
    await world.ok('POST', `/api/inbox/${question!.id}/answer`, { answer: 'Quite sure' })
    expect(await world.settled(mail.mailId)).toMatchObject({ state: 'taken', reply: 'Thanks.' })
    expect(await world.results(session.id)).toEqual([{ answer: 'Quite sure' }, expect.stringContaining('Denied')])
    expect(await heard(world, session)).toEqual(['Go', 'yes'])
  })

  test("a question waits no longer than its asker's turn may last", async () => {
    const files = cast({ ann: { limits: { maxDurationSeconds: 30 } }, ben: {}, cyd: {} })
    const { world, ann, ben, plays, pass } = await place(store, { files })
    const gate = Promise.withResolvers<void>()
    plays('ann', ask('ben'), { text: 'Never said.' })
    plays('ben', { text: 'It is.', delay: gate.promise })
    const mail = await world.send(ann.id, 'Ask Ben')
    await world.reaches(ann.id, 'waiting')
    await world.reaches(ben.id, 'running')
    const [asked] = (await mails(world)).filter(({ ask_until }) => ask_until !== null)
    expect(asked!.ask_until! - asked!.created_at).toBe(30_000)
    pass(31)
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'limit' })
    expect(await world.results(ann.id)).toMatchObject([{ status: 'timeout' }])
    gate.resolve()
    await world.reaches(ben.id, 'idle')
  })

  test('the answer that a call has got is the one it keeps, whatever comes before the call goes on', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [askPerson] }, { text: 'Thanks.' })
    const session = await world.session()
    await world.say(session.id, 'Go')
    await act(world, session.id, 'pause')
    const [item] = await world.inbox()
    const path = `/api/inbox/${item!.id}/answer`
    await world.ok('POST', path, { answer: 'The first' })
    expect((await world.request('POST', path, { answer: 'The second' })).status).toBe(409)
    const { core } = world.server
    const call = item!.waits[0]!.callId!
    const late = core.store.write((db) => resolveParked(db, call, { result: { output: 'The third' } }))
    expect(await late).toBe(false)
    const mail = await world.send(session.id, 'The fourth')
    expect(mail).toMatchObject({ outcome: 'queued' })
    await act(world, session.id, 'resume')
    await world.settled(mail.mailId)
    expect(await world.results(session.id)).toEqual([{ answer: 'The first' }])
    expect(await heard(world, session)).toEqual(['Go', 'The fourth'])
  })
})
